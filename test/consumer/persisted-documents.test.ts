import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { INetwork } from 'relay-runtime';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readMarkdownFiles } from '../docs/documents.ts';
import { startWithDocuments } from '../gateway/support/persisted.ts';
import { given } from '../support/given.ts';
import { type Stack, startStack } from '../support/start-stack.ts';
import { codeOf, project } from './documented-project.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.close());

/** A line that docs/persisted-documents.md tells readers to add to a file. */
function lineWith(text: string): string {
  const documents = readMarkdownFiles();
  const page = documents.find(({ path }) => path === 'docs/persisted-documents.md')?.text ?? '';
  const line = page.split('\n').find((one) => one.startsWith(text));
  if (line === undefined) throw new Error(`docs/persisted-documents.md has no line with ${text}.`);
  return line;
}

/** Adds a line to a documented file, behind a text. */
function withLine(file: string, behind: string, line: string): string {
  const documented = codeOf(file);
  expect(documented).toContain(behind);
  return documented.replace(behind, `${behind}${line}`);
}

const only = { PERSISTED_DOCUMENTS: 'only' };

test('the documented options of the code generator make a manifest, and its function sends the ids', async () => {
  const line = lineWith('presetConfig:');
  const configuration = withLine('codegen.ts', "preset: 'client', ", line).replace(
    'config: { ',
    "config: { documentMode: 'string', ",
  );
  const { folder, run } = project('codegen.ts', configuration, 'clients/operations.ts');
  await run('graphql-codegen');
  writeFileSync(join(folder, 'src/execute.ts'), codeOf('execute.ts'));
  const check = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'ESNext'];
  const sources = ['src/execute.ts', 'src/operations.ts'];
  await run('tsc', ...check, '--moduleResolution', 'bundler', ...sources);

  const manifest = readFileSync(join(folder, 'src/gql/persisted-documents.json'), 'utf8');
  const files = { 'persisted-documents.json': manifest };
  const gateway = await startWithDocuments(stack, files, only);
  // What the generator has written has no types here.
  const { execute } = await import(join(folder, 'src/execute.ts'));
  const { Payments } = await import(join(folder, 'src/operations.ts'));
  const { id } = await given(stack).merchant();
  const { data, errors } = await execute(
    `${gateway.url}/graphql`,
    stack.sandbox.demoApp.key,
    Payments,
    { merchantId: id },
  );
  expect(errors).toBeUndefined();
  expect(data.merchant.transactions.edges).toHaveLength(10);
  expect(String(Payments)).toContain('query Payments');
  expect(await gateway.send({ query: String(Payments).replace('10', '9') })).toMatchObject({
    errors: [{ extensions: { code: 'PERSISTED_DOCUMENT_REQUIRED' } }],
  });
  await gateway.close();
});

test('the documented options of Relay make a manifest, and its function sends the ids', async () => {
  const configuration = withLine('relay.config.json', '{\n', lineWith('"persistConfig"'));
  const { folder, run } = project('relay.config.json', configuration);
  const earlier = { earlier: '{ __typename }' };
  writeFileSync(join(folder, 'persisted-documents.json'), JSON.stringify(earlier));
  writeFileSync(
    join(folder, 'src/page.ts'),
    `import { graphql } from 'react-relay';
     export const query = graphql\`query pageQuery($id: ID!) { merchant(id: $id) { name } }\`;`,
  );
  await run('relay-compiler', 'relay.config.json');
  writeFileSync(join(folder, 'src/network.ts'), codeOf('network.ts'));

  const manifest = readFileSync(join(folder, 'persisted-documents.json'), 'utf8');
  expect(JSON.parse(manifest)).toMatchObject(earlier);
  const files = { 'persisted-documents.json': manifest };
  const gateway = await startWithDocuments(stack, files, only);
  const compiled = await import(join(folder, 'src/__generated__/pageQuery.graphql.ts'));
  const { createNetwork } = await import(join(folder, 'src/network.ts'));
  const network: INetwork = createNetwork(`${gateway.url}/graphql`, stack.sandbox.demoApp.key);
  const { params } = compiled.default;
  expect(params).toMatchObject({ id: expect.stringMatching(/^[0-9a-f]{32}$/), text: null });
  const { id } = await given(stack).merchant();
  const answer = await network.execute(params, { id }, {}).toPromise();
  expect(answer).toMatchObject({ data: { merchant: { name: expect.any(String) } } });
  await gateway.close();
});
