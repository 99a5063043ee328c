import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Stack, startStack } from '../support/start-stack.ts';
import { readCodeBlocks, readExamples, readMarkdownFiles } from './documents.ts';

const files = readMarkdownFiles();
const withExamples = files.filter(({ text }) => readExamples(text).length > 0);

test('the documents for users have examples', () => {
  expect(withExamples.map(({ path }) => path)).toEqual(
    expect.arrayContaining(['README.md', 'docs/money.md', 'docs/queries.md']),
  );
});

test('the README has a query and a mutation', () => {
  const { text = '' } = files.find(({ path }) => path === 'README.md') ?? {};
  expect(readExamples(text).map(({ query }) => query.startsWith('mutation'))).toEqual([
    false,
    true,
  ]);
});

describe.each(withExamples)('the examples of $path', ({ text }) => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack({ isCopied: true });
  });
  afterAll(() => stack.close());

  // One test, because a mutation changes what later examples answer.
  test('answer as printed, in their order, on a new sandbox', async () => {
    const ids = new Map<string, string>();
    for (const { query, answer, line } of readExamples(text)) {
      const given = query.replace(/<(\w+) id>/g, (hole, name) => ids.get(name) ?? hole);
      const check = async () => {
        const { status: _status, ...actual } = await stack.ask(given);
        noteIds(actual.data, ids);
        const usual = withUsualPort(withoutLocations(actual), stack.sandbox.posUrl);
        expect(usual, `line ${line}`).toEqual(JSON.parse(answer ?? 'null', toMatcher));
      };
      // What a mutation has done is an event a moment later.
      if (query.startsWith('mutation')) await check();
      else await vi.waitFor(check, { timeout: 30_000 });
    }
  });
});

/** Remembers ids for later examples: `<endpoint id>` is the last `endpoint { id }`. */
function noteIds(data: unknown, ids: Map<string, string>): void {
  if (typeof data !== 'object' || data === null) return;
  for (const [name, value] of Object.entries(data)) {
    if (typeof value?.id === 'string') ids.set(name, value.id);
    noteIds(value, ids);
  }
}

/** The documents print `…` for the rest of a value that is another one each time. */
function toMatcher(_name: string, value: unknown): unknown {
  if (typeof value !== 'string' || !value.endsWith('…')) return value;
  return expect.stringContaining(value.slice(0, -1));
}

/** The documents show the payment page at its usual port, not at the free one of a test. */
function withUsualPort(answer: object, posUrl: string): object {
  return JSON.parse(JSON.stringify(answer).replaceAll(posUrl, 'http://127.0.0.1:2225'));
}

/** Line and column in the query are of no interest to readers, so the documents leave them out. */
function withoutLocations(answer: { data: unknown; errors?: readonly object[] }) {
  if (answer.errors === undefined) return answer;
  const errors = answer.errors.map((error) => ({ ...error, locations: undefined }));
  return { ...answer, errors };
}

test('a value that is another one each time is not compared, what begins it is', () => {
  const printed = JSON.parse('{ "id": "whe_a-…", "url": "b" }', toMatcher);
  expect({ id: 'whe_a-1', url: 'b' }).toEqual(printed);
  expect({ id: 'whd_a-1', url: 'b' }).not.toEqual(printed);
});

test('an example without an answer, and a wrong answer, are found', () => {
  const query = '```graphql\n{ a }\n```\n';
  expect(readExamples(query)).toEqual([{ line: 1, query: '{ a }\n', answer: undefined }]);
  const later = `${query}\nSome text.\n\n\`\`\`json\n{}\n\`\`\`\n`;
  expect(readExamples(later)[0]?.answer).toBeUndefined();
  expect(readExamples(`${query}\n\`\`\`json\n{}\n\`\`\`\n`)[0]?.answer).toBe('{}\n');
  expect(readCodeBlocks('```ts a.ts\nlet a;\n```\n')).toMatchObject([
    { language: 'ts', file: 'a.ts', code: 'let a;\n' },
  ]);
});
