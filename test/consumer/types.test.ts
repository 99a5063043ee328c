import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runTool } from './tool.ts';

const consumer = fileURLToPath(new URL('.', import.meta.url));

/** A copy of both consumers that a test can change. */
let copy: string;
beforeEach(() => {
  copy = mkdtempSync(join(tmpdir(), 'tillgraph-consumer-'));
  for (const folder of ['frontend', 'relay']) {
    cpSync(join(consumer, folder), join(copy, folder), { recursive: true });
  }
  symlinkSync(join(consumer, 'node_modules'), join(copy, 'node_modules'));
  write(
    'tsconfig.json',
    JSON.stringify({
      extends: join(consumer, 'tsconfig.json'),
      compilerOptions: { rootDir: '/' },
      include: ['.'],
    }),
  );
});
afterEach(() => rmSync(copy, { recursive: true, force: true }));

function write(path: string, text: string): void {
  writeFileSync(join(copy, path), text);
}

function replace(path: string, old: string, by: string): void {
  const text = readFileSync(join(copy, path), 'utf8');
  expect(text).toContain(old);
  write(path, text.replaceAll(old, by));
}

/** The compiler's errors in the copy: file and first line of each. */
async function compileErrors(): Promise<string[]> {
  const { output } = await runTool('tsc', ['-p', '.'], copy);
  return [...output.matchAll(/^(\S+)\(\d+,\d+\): error \w+: (.*)$/gm)].map(
    ([, file, message]) => `${file}: ${message}`,
  );
}

test('everything compiles strictly, with the generated code and the marked mistakes', async () => {
  const { output } = await runTool('tsc', ['-p', '.'], consumer);
  expect(output).toBe('');
});

test('with gql.tada, everything compiles strictly, with the marked mistakes', async () => {
  const { output } = await runTool('tsc', ['-p', '.'], join(consumer, 'tada'), 'tada/node_modules');
  expect(output).toBe('');
});

test('each marked mistake is a compile error for the expected reason', async () => {
  for (const folder of ['frontend', 'relay']) {
    replace(`${folder}/mistakes.ts`, '// @ts-expect-error', '//');
  }
  expect(await compileErrors()).toEqual([
    `frontend/mistakes.ts: Type '{ __typename: "OutcomeUnknownError"; code: ErrorCode; message: string; operation: { advice: OperationAdvice | null; }; } | { __typename: "RequestError"; code: ErrorCode; message: string; }' is not assignable to type 'never'.`,
    `frontend/mistakes.ts: Property 'createdAt' does not exist on type '{ ' $fragmentRefs'?: { TransactionRowFragment: TransactionRowFragment; }; }'.`,
    `frontend/mistakes.ts: Type 'string' is not assignable to type 'number'.`,
    `frontend/mistakes.ts: Property 'currency' is missing in type '{ minorUnits: number; }' but required in type 'MoneyInput'.`,
    `frontend/mistakes.ts: Type '{ transactionId: string; }' is missing the following properties from type 'CaptureTransactionInput': amount, idempotencyKey`,
    `relay/mistakes.ts: Property 'createdAt' does not exist on type 'transactionRow_transaction$key'.`,
    `relay/mistakes.ts: Type 'string' is not assignable to type 'number'.`,
    `relay/mistakes.ts: Type '{ cardId: string; transactionId: string; }' is not assignable to type 'TransactionSourceInput'.`,
  ]);
});

test('an error type that is added later breaks the exhaustive switch, and nothing else', async () => {
  write(
    'frontend/later.graphql',
    `type LimitReachedError implements MutationError {
      code: ErrorCode!
      message: String!
      path: [String!]
    }
    extend union CaptureTransactionResult = LimitReachedError
    extend union RefundTransactionResult = LimitReachedError`,
  );
  write(
    'frontend/later.ts',
    `import config from './codegen.ts';
    export default { ...config, schema: [config.schema, 'later.graphql'] };`,
  );
  const folder = join(copy, 'frontend');
  const { output } = await runTool('graphql-codegen', ['--config', 'later.ts'], folder);
  expect(output).toContain('Generate to ./gql/');
  expect(await compileErrors()).toEqual([
    `frontend/capture.ts: Argument of type '{ __typename: "LimitReachedError"; code: ErrorCode; message: string; }' is not assignable to parameter of type 'never'.`,
  ]);
});

test('the code generator fails if the map lacks a scalar', async () => {
  replace('frontend/codegen.ts', 'scalars,', 'scalars: {},');
  expect(await runTool('graphql-codegen', [], join(copy, 'frontend'))).toEqual({
    failed: true,
    output: expect.stringContaining('Unknown scalar type CurrencyCode.'),
  });
});

test('the Relay compiler fails if the map lacks a scalar', async () => {
  replace('relay/relay.config.json', '"DateTime": "string",', '');
  expect(await runTool('relay-compiler', ['relay.config.json'], join(copy, 'relay'))).toEqual({
    failed: true,
    output: expect.stringContaining("Expected the JS type for 'DateTime' to be defined"),
  });
});
