import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { packageFile } from '../../../../package-files.ts';
import { createPageFile, type PageFile, toPageFile } from '../page-files.ts';

const require = createRequire(import.meta.url);

export const FOLDER = '/graphiql';

/** The files of GraphiQL's package. */
const NAMES = ['style', 'script', 'editor', 'json', 'graphql'] as const;

export type GraphiqlBundle = Readonly<Record<(typeof NAMES)[number], PageFile>>;

/** In `dist/`, so that deleting it deletes these files too. */
const kept = packageFile('dist/pages/');

/**
 * The files of GraphiQL's package, compressed. To read and compress its 9 MB takes up
 * to a second and a half, so the first visit keeps the result on disk.
 *
 * A folder that is incomplete or damaged is replaced.
 *
 * @param pages the folder to keep it in
 */
export async function readGraphiqlBundle(pages = kept): Promise<GraphiqlBundle> {
  const folder = new URL(`graphiql-${packageDigest()}/`, pages);
  const found = await readBundle(folder).catch(() => undefined);
  if (found !== undefined) return found;
  const bundle = await createBundle();
  await rm(folder, { recursive: true, force: true }).catch(() => {});
  await keepBundle(bundle, folder).catch(() => {
    // If the folder cannot be written, only the first visit is slower.
  });
  return bundle;
}

/** Changes whenever the kept content changes. */
function packageDigest(): string {
  const path = require.resolve('@graphql-yoga/render-graphiql/graphiql');
  const { size } = statSync(path);
  const { version } = require('@graphql-yoga/render-graphiql/package.json');
  return createHash('sha256')
    .update(JSON.stringify([version, size, RUN_ONCE, NAMES]))
    .digest('hex')
    .slice(0, 16);
}

/** `keep-compiled.js` loads the script a second time. It must not run again. */
const RUN_ONCE = 'if(!self.YogaGraphiQL)';

async function createBundle(): Promise<GraphiqlBundle> {
  const bundle = await import('@graphql-yoga/render-graphiql/graphiql');
  const [style, script, editor, json, graphql] = await Promise.all([
    createPageFile(FOLDER, 'css', bundle.css),
    createPageFile(FOLDER, 'js', RUN_ONCE + bundle.js),
    createPageFile(FOLDER, 'js', bundle.editorWorkerService),
    createPageFile(FOLDER, 'js', bundle.jsonWorker),
    createPageFile(FOLDER, 'js', bundle.graphqlWorker),
  ]);
  return { style, script, editor, json, graphql };
}

/** The path of each file, and the digest of what is kept. */
const FILES = 'files.json';

const digestOf = (data: Buffer) => createHash('sha256').update(data).digest('hex');

async function keepBundle(bundle: GraphiqlBundle, folder: URL): Promise<void> {
  // Another process may write the same: the first complete folder wins.
  const written = new URL(`${folder.href.slice(0, -1)}.${process.pid}/`);
  await mkdir(written, { recursive: true });
  try {
    const files = NAMES.map((name) => [
      name,
      { path: bundle[name].path, digest: digestOf(bundle[name].resource.gzipped) },
    ]);
    await writeFile(new URL(FILES, written), JSON.stringify(Object.fromEntries(files)));
    for (const name of NAMES) {
      await writeFile(new URL(`${name}.gz`, written), bundle[name].resource.gzipped);
    }
    await rename(written, folder);
  } finally {
    await rm(written, { recursive: true, force: true });
  }
}

/** Throws if a file is missing or damaged, because browsers cache these files permanently. */
async function readBundle(folder: URL): Promise<GraphiqlBundle> {
  const files = JSON.parse(await readFile(new URL(FILES, folder), 'utf8'));
  const read = async (name: (typeof NAMES)[number]): Promise<PageFile> => {
    const { path, digest } = files[name];
    const gzipped = await readFile(new URL(`${name}.gz`, folder));
    if (digestOf(gzipped) !== digest) throw new Error(`${name}.gz is damaged.`);
    return toPageFile(path, gzipped);
  };
  const [style, script, editor, json, graphql] = await Promise.all([
    read('style'),
    read('script'),
    read('editor'),
    read('json'),
    read('graphql'),
  ]);
  return { style, script, editor, json, graphql };
}
