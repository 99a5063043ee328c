import { createHash } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { emptyFolder, runProgram, startProgram, usedPostgres } from '../support/program.ts';

const OWN = '{ own: __typename }';
const idOf = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`;

const notFound = { errors: [{ extensions: { code: 'PERSISTED_DOCUMENT_NOT_FOUND' } }] };

/** A manifest, and how to replace it at once. */
function manifestFile(documents: object) {
  const path = join(emptyFolder(), 'persisted-documents.json');
  const write = (value: object | string) => {
    writeFileSync(`${path}.new`, typeof value === 'string' ? value : JSON.stringify(value));
    renameSync(`${path}.new`, path);
  };
  write(documents);
  return { path, write };
}

test('an invalid manifest stops the start with its file, the id and what to change', async () => {
  const { path } = manifestFile({ good: OWN, 'x-app:bad': '{ nothing }' });
  const ended = await runProgram({
    DATA_DIR: emptyFolder(),
    PERSISTED_DOCUMENTS: 'only',
    PERSISTED_DOCUMENTS_PATH: path,
  });
  expect(ended).toMatchObject({ code: 1, stdout: '' });
  expect(ended.stderr).toBe(
    [
      `The documents of PERSISTED_DOCUMENTS_PATH "${path}" cannot be used.`,
      'persisted-documents.json: the document with the id "x-app:bad" is not valid. Cannot query field "nothing" on type "Query". (line 1, column 3) Change the document in the client, and generate the file again.',
      '',
    ].join('\n'),
  );
});

test('SIGHUP without persisted documents changes nothing', async () => {
  const program = await startProgram(await usedPostgres());
  process.kill(program.pid, 'SIGHUP');
  await program.reported(/PERSISTED_DOCUMENTS is off/);
  expect(await program.ask('{ __typename }')).toMatchObject({ data: { __typename: 'Query' } });
});

test('SIGHUP loads the documents again: under load, no request fails', async () => {
  const common = { own: OWN };
  const many = (version: number) =>
    Array.from({ length: 300 }, (_, at) => {
      const text = `query Q${version}x${at} { currencies { code } viewer { id name } }`;
      return [`v${version}.${at}`, text];
    });
  const { path, write } = manifestFile({ ...common, ...Object.fromEntries(many(0)) });
  const program = await startProgram({
    ...(await usedPostgres()),
    PERSISTED_DOCUMENTS: 'only',
    PERSISTED_DOCUMENTS_PATH: path,
  });
  const send = async (documentId: string, accept = '*/*') => {
    const response = await fetch(`${program.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept },
      body: JSON.stringify({ documentId }),
    });
    return { status: response.status, ...(await response.json()) };
  };

  let isLoading = true;
  onTestFinished(() => {
    isLoading = false;
  });
  let count = 0;
  const failed: unknown[] = [];
  const load = async (id: string, accept?: string) => {
    while (isLoading) {
      const answer = await send(id, accept).catch(String);
      count++;
      if (JSON.stringify(answer) !== '{"status":200,"data":{"own":"Query"}}') failed.push(answer);
    }
  };
  // The last `Accept` header is one that only Yoga answers.
  const workers = ['*/*', 'application/json', 'application/json, text/html;q=0.5'].flatMap(
    (accept) => [load('own', accept), load(idOf(OWN), accept)],
  );
  for (let version = 1; version <= 5; version++) {
    write({ ...common, ...Object.fromEntries(many(version)) });
    process.kill(program.pid, 'SIGHUP');
    await program.reported(new RegExp(`(loaded again: 301[^]*){${version}}`));
    expect(await send(`v${version}.299`)).not.toMatchObject(notFound);
    expect(await send(`v${version - 1}.0`)).toMatchObject(notFound);
  }
  // A broken manifest changes nothing.
  write('{ "own": "{ other');
  process.kill(program.pid, 'SIGHUP');
  await program.reported(/The earlier documents stay in force/);
  expect(await send('own')).toEqual({ status: 200, data: { own: 'Query' } });
  isLoading = false;
  await Promise.all(workers);
  expect(failed).toEqual([]);
  expect(count).toBeGreaterThan(50);

  const { stderr } = await program.stop();
  expect(stderr.match(/Persisted documents were loaded again: 301\./g)).toHaveLength(5);
  expect(stderr).toContain('is not a manifest.');
  expect(stderr).not.toContain('other');
});
