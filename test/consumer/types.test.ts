import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runTool } from './tool.ts';

const consumer = fileURLToPath(new URL('.', import.meta.url));

/** Both consumers once more, to be changed by a test. */
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

/** What the compiler finds in the copy: file and first line of each complaint. */
async function complaints(): Promise<string[]> {
  const { output } = await runTool('tsc', ['-p', '.'], copy);
  return [...output.matchAll(/^(\S+)\(\d+,\d+\): error \w+: (.*)$/gm)].map(
    ([, file, message]) => `${file}: ${message}`,
  );
}

test('everything here compiles strictly, with what was generated and with its marked mistakes', async () => {
  const { output } = await runTool('tsc', ['-p', '.'], consumer);
  expect(output).toBe('');
});

test('each marked mistake is refused for what it is', async () => {
  for (const folder of ['frontend', 'relay']) {
    replace(`${folder}/mistakes.ts`, '// @ts-expect-error', '//');
  }
  expect(await complaints()).toEqual([
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

test('a kind of error that is added later stops where all are told apart, and nowhere else', async () => {
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
  expect(await complaints()).toEqual([
    `frontend/capture.ts: Argument of type '{ __typename: "LimitReachedError"; code: ErrorCode; message: string; }' is not assignable to parameter of type 'never'.`,
  ]);
});

test('the code generator refuses a scalar that the map leaves out', async () => {
  replace('frontend/codegen.ts', 'scalars,', 'scalars: {},');
  expect(await runTool('graphql-codegen', [], join(copy, 'frontend'))).toEqual({
    failed: true,
    output: expect.stringContaining('Unknown scalar type CurrencyCode.'),
  });
});

test('the Relay compiler refuses a scalar that the map leaves out', async () => {
  replace('relay/relay.config.json', '"DateTime": "string",', '');
  expect(await runTool('relay-compiler', ['relay.config.json'], join(copy, 'relay'))).toEqual({
    failed: true,
    output: expect.stringContaining("Expected the JS type for 'DateTime' to be defined"),
  });
});
