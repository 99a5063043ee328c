import { describe, expect, inject, test } from 'vitest';
import { newKey } from '../support/new-key.ts';
import { crowds, onPGlite, startCrowd } from './crowd.ts';
import { settled } from './settled.ts';
import { submit } from './submit.ts';

const euro = (minorUnits: number) => ({ minorUnits, currency: 'EUR' });

describe.each(crowds)('before %s', (_where, open) => {
  test('a hundred callers with one key send one POST and are told the same', async () => {
    const crowd = await startCrowd(open);
    const transactionId = await crowd.books.charge('capture');
    const input = { transactionId, amount: euro(300), idempotencyKey: newKey() };
    crowd.calls.length = 0;
    const told = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        settled(() => submit(crowd.caller(index), 'capture', input)),
      ),
    );
    expect(crowd.posts()).toBe(1);
    const results = told.map(({ last }) => last);
    const [{ operation, ...rest }] = results;
    expect(operation).toMatchObject({ status: 'SUCCEEDED', evidence: 'ANSWERED' });
    for (const result of results) {
      const { replayed } = result.operation;
      expect(result).toEqual({ ...rest, operation: { ...operation, replayed } });
    }
    const sent = told.filter(({ answers }) =>
      answers.some((answer) => answer.operation?.replayed === false),
    );
    expect(sent).toHaveLength(1);
    expect(await crowd.books.entries(transactionId)).toEqual([{ kind: 'capture', amount: 300 }]);
  });

  test('fifty captures of 40 take no more than 1000, and each is told what became of it', async () => {
    const crowd = await startCrowd(open);
    const transactionId = await crowd.books.charge('capture');
    crowd.calls.length = 0;
    const inputs = Array.from({ length: 50 }, () => ({
      transactionId,
      amount: euro(40),
      idempotencyKey: newKey(),
    }));
    const told = await Promise.all(
      inputs.map((input, index) => settled(() => submit(crowd.caller(index), 'capture', input))),
    );
    const results = told.map(({ last }) => last);
    const successes = results.filter((result) => result.__typename.endsWith('Success'));
    const entries = await crowd.books.entries(transactionId);
    expect(entries).toEqual(Array(25).fill({ kind: 'capture', amount: 40 }));
    expect(new Set(successes.map(({ trailEntry }) => trailEntry.line.id)).size).toBe(25);
    expect(successes).toHaveLength(25);
    for (const result of results) {
      if (!successes.includes(result)) {
        expect(result).toMatchObject({ code: 'AMOUNT_TOO_LARGE', maximum: { minorUnits: 0 } });
      }
    }
    expect(crowd.posts()).toBe(25);
    // The other gateway, if there is one, tells the same of every key.
    const again = await Promise.all(
      inputs.map((input, index) => submit(crowd.caller(index + 1), 'capture', input)),
    );
    for (const [index, { operation, trailEntry, code }] of again.entries()) {
      const { last } = told[index] as (typeof told)[0];
      const replay = last.operation && { ...last.operation, replayed: true };
      expect([operation, trailEntry, code]).toEqual([replay, last.trailEntry, last.code]);
    }
    expect(crowd.posts()).toBe(25);
  });
});

const AT_ONCE = 50;
const REPEATS = 100 * inject('scale');

test(`${REPEATS} repeats of a key send nothing more`, async () => {
  const crowd = await startCrowd(onPGlite);
  const transactionId = await crowd.books.charge('capture');
  const input = { transactionId, amount: euro(300), idempotencyKey: newKey() };
  const first = await submit(crowd.caller(0), 'capture', input);
  const operation = { ...first.operation, replayed: true };
  for (let round = 0; round < REPEATS / AT_ONCE; round++) {
    const repeats = await Promise.all(
      Array.from({ length: AT_ONCE }, () => submit(crowd.caller(0), 'capture', input)),
    );
    for (const repeat of repeats) expect(repeat).toEqual({ ...first, operation });
  }
  expect(crowd.calls.filter((call) => call.endsWith('/captures'))).toHaveLength(1);
});
