import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { readGraphiqlBundle } from '../../src/gateway/http/pages/graphiql/graphiql-bundle.ts';

test('the compressed files of GraphiQL are kept on disk, and read from there', async () => {
  const pages = pathToFileURL(`${mkdtempSync(join(tmpdir(), 'pages-'))}/`);
  onTestFinished(() => rmSync(pages, { recursive: true }));
  const bundle = await readGraphiqlBundle(pages);
  const { style } = bundle;
  const [folder] = readdirSync(pages);
  const kept = new URL(`${folder}/style.gz`, pages);
  expect(readFileSync(kept).equals(style.resource.gzipped)).toBe(true);
  // What is kept is used, as its other name shows.
  const files = new URL(`${folder}/files.json`, pages);
  const text = readFileSync(files, 'utf8');
  writeFileSync(files, text.replace(style.path, '/kept.css'));
  expect((await readGraphiqlBundle(pages)).style.path).toBe('/kept.css');
  writeFileSync(files, text);

  // A missing file is found in the same way.
  writeFileSync(kept, 'damaged');
  expect(await readGraphiqlBundle(pages)).toEqual(bundle);
  expect(readFileSync(kept).equals(style.resource.gzipped)).toBe(true);
});
