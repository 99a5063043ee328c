import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { gatewayGroups } from '../../src/gateway/settings.ts';
import { sandboxGroups } from '../../src/sandbox/settings.ts';
import { declarationsIn } from '../../src/settings/setting.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
const examples = [...readme.matchAll(/```graphql\n(.*?)```\s+```json\n(.*?)```/gs)];

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.close());

test('the README has three examples', () => {
  expect(examples).toHaveLength(3);
});

test.each(
  examples.map(([, query = '', answer = '']) => [query.trim().slice(0, 60), query, answer]),
)('the README’s example `%s…` answers as printed', async (_start, query, answer) => {
  const { data, errors } = await stack.ask(query);
  expect(errors).toBeUndefined();
  expect({ data }).toEqual(JSON.parse(answer));
});

test('the README tells of every setting that is read, and of no other', () => {
  const table = readme.slice(readme.indexOf('## Settings'), readme.indexOf('### In front of'));
  const told = new Set(
    [...table.matchAll(/^\| (`[^|]+) \|/gm)].flatMap(([, names = '']) =>
      names.match(/[A-Z_]{4,}/g),
    ),
  );
  const read = new Set(
    [...gatewayGroups, ...sandboxGroups].flatMap(({ settings }) =>
      declarationsIn(settings).map(({ name }) => name),
    ),
  );
  expect(told).toEqual(read);
});
