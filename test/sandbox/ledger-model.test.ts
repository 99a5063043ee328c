import fc from 'fast-check';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';
import {
  charge,
  chargedCurrencies,
  failingCards,
  fundingCurrencies,
  goodCards,
  inputFaults,
  type Kind,
  leftFor,
  type ModelCard,
  type ModelFault,
  type ModelMerchant,
  type ModelTransaction,
  majorUnits,
  move,
  settle,
  showLines,
  showTransaction,
  worth,
} from './ledger-model.ts';
import { type AnyRecord, demoApp, fieldsOf, form, smallestMerchant } from './shop.ts';

/** All of them on a server; PGlite takes one statement at a time, and is twice as slow. */
const SEQUENCES = inject('database') === 'PGlite' ? 500 : 2_000;
const AT_ONCE = 100;
const MOST_STEPS = 8;
const MOST_SHRINKING_MS = 30_000;
const DISPUTE_DELAY_MS = 2_000;
/** One of the cards expires while the test runs: its clock moves on by some seconds a round. */
const START = Date.UTC(2030, 0, 31, 23, 59, 40);
const expiries = { '01/30': Date.UTC(2030, 1) - 1, '08/66': Date.UTC(2066, 8) - 1 };

let sandbox: Sandbox;
let time = START;
let merchants: (ModelMerchant & { key: string })[];

beforeAll(async () => {
  sandbox = await startTestSandbox({ environment: { clock: () => new Date(START) } });
  const { post } = demoApp(sandbox);
  merchants = await Promise.all(
    fundingCurrencies.map(async (currency) => {
      const descriptor = `SHOP IN ${currency}`;
      const input = { ...smallestMerchant, currency, descriptor, test: true };
      const { id, key } = (await post('/merchants', input)).body.merchant;
      return { id, key, descriptor, funding: currency };
    }),
  );
});
afterAll(() => sandbox.close());

/** One thing that somebody does. `of` counts round what the sequence has made so far. */
type Step =
  | ({
      readonly type: 'pay';
      readonly card: ModelCard;
      readonly expiry: keyof typeof expiries;
    } & Sum)
  | ({ readonly type: 'pay again'; readonly by: Source; readonly of: number } & Sum)
  | { readonly type: 'save card'; readonly of: number }
  | {
      readonly type: Kind;
      readonly of: number;
      /** Thousandths of what is left, and some minor units besides. */
      readonly share: number;
      readonly off: bigint;
      readonly currency: 'the same' | 'another' | undefined;
      readonly descriptor: string | undefined;
    };

interface Sum {
  readonly currency: string;
  readonly amount: bigint;
  readonly descriptor?: string | undefined;
}

type Source = 'transactionId' | 'authorizationId' | 'cardId';

const descriptor = fc.constantFrom(
  undefined,
  undefined,
  '',
  'PARCEL 1',
  '~'.repeat(22),
  '~'.repeat(23),
);
const sum = {
  currency: fc.constantFrom(...chargedCurrencies),
  amount: fc.oneof(fc.bigInt(1n, 20n), fc.bigInt(1n, 100_000n), fc.bigInt(1n, 99_999_999_999n)),
};
const of = fc.nat(MOST_STEPS);

const pay: fc.Arbitrary<Step> = fc.record({
  type: fc.constant('pay'),
  card: fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...goodCards) },
    { weight: 1, arbitrary: fc.constantFrom(...failingCards) },
  ),
  expiry: fc.constantFrom('08/66', '08/66', '08/66', '08/66', '01/30'),
  ...sum,
});
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      type: fc.constantFrom('capture', 'capture', 'refund', 'void'),
      of,
      share: fc.oneof(fc.nat(1000), fc.constant(1000), fc.constant(0)),
      off: fc.constantFrom(0n, 0n, 0n, 0n, 1n, 1n, -1n, 999_999_999_999n, 1_000_000_000_000n),
      currency: fc.constantFrom(undefined, 'the same', 'the same', 'another'),
      descriptor,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('pay again'),
      by: fc.constantFrom('transactionId', 'authorizationId', 'cardId'),
      of,
      descriptor,
      ...sum,
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('save card'), of }) },
  { weight: 1, arbitrary: pay },
);

const sequence = fc.record({
  merchant: fc.nat(fundingCurrencies.length - 1),
  steps: fc
    .tuple(pay, fc.array(anyStep, { maxLength: MOST_STEPS - 1, size: 'max' }))
    .map(([first, others]) => [first, ...others]),
});
const sequences = fc.array(sequence, { minLength: 1, maxLength: AT_ONCE, size: 'max' });
/** How far the clock moves after each round of steps. */
const pauses = fc.array(fc.constantFrom(0, 500, DISPUTE_DELAY_MS - 1, DISPUTE_DELAY_MS), {
  minLength: MOST_STEPS,
  maxLength: MOST_STEPS,
});

/** What a sequence has made so far, in the model and in the service. */
interface Made {
  readonly merchant: ModelMerchant & { key: string };
  readonly transactions: { readonly id: string; readonly model: ModelTransaction }[];
  readonly cards: { readonly id: string; readonly source: ModelTransaction }[];
}

let stepsTaken = 0;
let sequencesTaken = 0;
/** Looking for a smaller sequence that fails has an end. */
let shrinkUntil = Number.POSITIVE_INFINITY;

test(`${SEQUENCES} sequences of payments and movements come to what an independent model says`, async () => {
  while (sequencesTaken < SEQUENCES) {
    await fc.assert(
      fc.asyncProperty(sequences, pauses, async (batch, waits) => {
        if (performance.now() > shrinkUntil) return;
        try {
          await play(batch, waits);
        } catch (error) {
          shrinkUntil = Math.min(shrinkUntil, performance.now() + MOST_SHRINKING_MS);
          throw error;
        } finally {
          await pass(DISPUTE_DELAY_MS); // nothing is left to happen in the next batch
        }
      }),
      { numRuns: 4 },
    );
  }
  console.log(`ledger model: ${sequencesTaken} sequences, ${stepsTaken} steps, 0 differences`);
}, 600_000);

test('what a refund gave back of the rate is not taken again when later captures dilute it', async () => {
  const steps: Step[] = [
    {
      type: 'pay',
      card: { number: '4100000000000000' },
      expiry: '08/66',
      currency: 'EUR',
      amount: 99n,
    },
    ...(
      [
        ['capture', 20n], // the only one that costs a cent of rate
        ['refund', 20n],
        ['capture', 19n],
        ['capture', 19n],
        ['capture', 19n],
        ['refund', 1n],
      ] as const
    ).map(([type, off]) => ({
      type,
      of: 0,
      share: 0,
      off,
      currency: undefined,
      descriptor: undefined,
    })),
  ];
  await play(
    [{ merchant: fundingCurrencies.indexOf('EUR'), steps }],
    steps.map(() => 0),
  );
});

async function pass(milliseconds: number): Promise<void> {
  time += milliseconds;
  await sandbox.advanceClock(milliseconds);
}

/** Plays sequences side by side, a step of each at a time, then compares all that is there. */
async function play(
  batch: readonly { readonly merchant: number; readonly steps: readonly Step[] }[],
  waits: readonly number[],
): Promise<void> {
  const { get, post } = demoApp(sandbox);
  const { id: marker } = (await post('/apps')).body.app; // smaller than all ids to come
  const before = await balances();
  const players = batch.map(({ merchant, steps }) => ({
    steps,
    made: { merchant: merchants[merchant], transactions: [], cards: [] } as unknown as Made,
  }));
  for (const [round, wait] of [...waits, DISPUTE_DELAY_MS].entries()) {
    const taken = await Promise.allSettled(
      players.map(async ({ steps, made }) => {
        const step = steps[round];
        if (step === undefined) return;
        stepsTaken++;
        await take(step, made);
      }),
    );
    // Only now: what fails must not leave others on their way into the next attempt.
    for (const each of taken) if (each.status === 'rejected') throw each.reason;
    await pass(wait);
    const all = players.flatMap(({ made }) => made.transactions);
    const changed = all.filter(({ model }) => settle(model, time));
    await Promise.all(changed.map(({ id, model }) => expectSame(id, model)));
  }
  sequencesTaken += batch.length;

  const after = await balances();
  await Promise.all(
    merchants.map(async ({ id }) => {
      const made = players.flatMap(({ made }) =>
        made.merchant.id === id ? made.transactions : [],
      );
      if (made.length === 0) {
        expect(after.get(id)).toBe(before.get(id));
        return;
      }
      const gained = made.reduce((sum, { model }) => sum + worth(model), 0n);
      expect((after.get(id) ?? 0) - (before.get(id) ?? 0)).toBe(Number(gained));
      const news = async (path: string) => {
        const { body } = await get(`${path}limit=1000&after=${marker}`);
        expect(body.length).toBeLessThan(1000);
        return body as AnyRecord[];
      };
      const [transactions = [], lines = [], disputes = [], frauds = []] = await Promise.all([
        news(`/merchants/${id}/transactions?`),
        news(`/merchants/${id}/lines?`),
        news(`/disputes?filter[merchantId]=${id}&`),
        news(`/frauds?filter[merchantId]=${id}&`),
      ]);
      expect(transactions.map((each) => each.id)).toEqual(made.map((each) => each.id).sort());
      const known = new Map(made.map((each) => [each.id, each.model]));
      for (const transaction of transactions) {
        const own = (records: AnyRecord[]) =>
          records.filter(({ transactionId }) => transactionId === transaction.id);
        const model = known.get(transaction.id) as ModelTransaction;
        expectEqual(transaction, model);
        expectLines(transaction, own(lines), model);
        expect(own(disputes).map(({ amount }) => amount)).toEqual(
          model.disputes.map(({ amount }) => Number(amount)),
        );
        expect(own(frauds)).toHaveLength(model.fraudAlerts);
      }
      for (const records of [lines, disputes, frauds]) {
        expect(records.filter(({ transactionId }) => !known.has(transactionId))).toEqual([]);
      }
    }),
  );
}

async function balances(): Promise<Map<string, number>> {
  const path = `/identities/${sandbox.demoApp.id}/merchants?limit=1000`;
  const { body } = await demoApp(sandbox).get(path);
  return new Map(body.map(({ id, balance }: AnyRecord) => [id, balance]));
}

/** Takes one step on both sides, and compares. */
async function take(step: Step, made: Made): Promise<void> {
  if (step.type === 'pay') await payOnPage(step, made);
  else if (step.type === 'pay again') await payAgain(step, made);
  else if (step.type === 'save card') await saveCard(step, made);
  else await moveMoney(step, made);
}

function pick<T>(list: readonly T[], index: number): T {
  return list[index % list.length] as T;
}

async function payOnPage(step: Step & { type: 'pay' }, { merchant, transactions }: Made) {
  const { card, currency, amount, expiry } = step;
  const input = { card, currency, amount, expiry: expiries[expiry], later: false };
  const model = charge(merchant, input, time);
  const link = new URLSearchParams({
    ...{ key: merchant.key, test: '1', currency, value: majorUnits(amount, currency) },
  });
  const fields = { 'card[number]': card.number, 'card[expiry]': expiry, 'card[code]': '123' };
  const sent = form(String(new URLSearchParams(fields)));
  const response = await fetch(`${sandbox.posUrl}/?${link}`, sent);
  const page = await response.text();
  const told = (name: string) => new RegExp(`data-${name}="([^"]+)"`).exec(page)?.[1];
  expect([response.status, told('error-code')]).toEqual(
    model.error === undefined ? [200, undefined] : [400, String(model.error)],
  );
  const name = model.error === undefined ? 'transaction-id' : 'failed-transaction-id';
  await remember(told(name) as string, model, transactions);
}

async function payAgain(
  step: Step & { type: 'pay again' },
  { merchant, transactions, cards }: Made,
) {
  const by = cards.length === 0 && step.by === 'cardId' ? 'transactionId' : step.by;
  const { currency, amount, descriptor } = step;
  const saved = pick(cards, step.of);
  const paid = pick(transactions, step.of);
  const { card, expiry, error } = by === 'cardId' ? saved.source : paid.model;
  const answer = await demoApp(sandbox).post(`/merchants/${merchant.id}/transactions`, {
    ...{ [by]: (by === 'cardId' ? saved : paid).id, currency, amount: Number(amount), descriptor },
  });
  const faults = inputFaults({ amount, descriptor });
  if (faults.length === 0 && error !== undefined) faults.push({ field: by });
  if (faults.length > 0) return expectRefused(answer, faults);
  const input = { card, expiry, currency, amount, descriptor, later: true };
  const model = charge(merchant, input, time);
  expect([answer.status, answer.body.code]).toEqual(
    model.error === undefined ? [201, undefined] : [400, model.error],
  );
  const { id } = (model.error === undefined ? answer.body : answer.body.response).transaction;
  await remember(id, model, transactions);
}

async function saveCard(
  { of }: Step & { type: 'save card' },
  { merchant, transactions, cards }: Made,
) {
  const { id: transactionId, model: source } = pick(transactions, of);
  const answer = await demoApp(sandbox).post(`/merchants/${merchant.id}/cards`, { transactionId });
  if (source.error !== undefined) return expectRefused(answer, [{ field: 'transactionId' }]);
  expect(answer.status).toBe(201);
  cards.push({ id: answer.body.card.id, source });
}

async function moveMoney(step: Step & { type: Kind }, { transactions }: Made): Promise<void> {
  const { type: kind, share, off, descriptor } = step;
  const { id, model } = pick(transactions, step.of);
  const amount = (leftFor(model, kind) * BigInt(share)) / 1000n + off;
  const other = model.currency === 'EUR' ? 'USD' : 'EUR';
  const currency = step.currency && (step.currency === 'another' ? other : model.currency);
  const answer = await demoApp(sandbox).post(`/transactions/${id}/${kind}s`, {
    ...{ amount: Number(amount), currency, descriptor },
  });
  const faults = move(model, kind, { amount, currency, descriptor }, time);
  if (faults.length > 0) {
    expectRefused(answer, faults);
    return expectSame(id, model);
  }
  expect(answer.status).toBe(201);
  expect(answer.body.transaction.id).toBe(id);
  expectEqual(answer.body.transaction, model);
}

async function remember(id: string, model: ModelTransaction, transactions: Made['transactions']) {
  transactions.push({ id, model });
  await expectSame(id, model);
}

function expectRefused({ status, body }: AnyRecord, faults: readonly ModelFault[]): void {
  expect(status).toBe(400);
  expect(fieldsOf(body)).toEqual(fieldsOf(faults));
  expect(body).toMatchObject(faults);
}

async function expectSame(id: string, model: ModelTransaction): Promise<void> {
  const { transaction } = (await demoApp(sandbox).get(`/transactions/${id}`)).body;
  expect(transaction.id).toBe(id);
  expectEqual(transaction, model);
}

/** What the service shows is what the model says, and no amount is below 0 or above its limit. */
function expectEqual(transaction: AnyRecord, model: ModelTransaction): void {
  const { error, trail } = transaction;
  expect({
    ...without(transaction, 'id'),
    error: error === false ? error : error.code,
    trail: trail.map(({ dispute, ...entry }: AnyRecord) => ({
      ...without(entry, 'lineId'),
      ...(dispute === undefined ? {} : { dispute: without(dispute, 'id') }),
    })),
  }).toEqual(showTransaction(model));
  const { amount, pendingAmount, capturedAmount, voidedAmount, refundedAmount } = transaction;
  const counters = [pendingAmount, capturedAmount, voidedAmount, refundedAmount];
  expect(counters.filter((counter) => counter < 0)).toEqual([]);
  expect(capturedAmount + voidedAmount).toBeLessThanOrEqual(amount);
  expect(refundedAmount).toBeLessThanOrEqual(capturedAmount);
}

/** The lines are the model's, and each entry that moves money names its own. */
function expectLines({ trail }: AnyRecord, lines: AnyRecord[], model: ModelTransaction): void {
  const shown = lines.map((line) => without(line, 'id', 'disputeId', 'transactionId'));
  expect(shown).toEqual(showLines(model));
  const moving = lines.filter(({ dispute, won, lost }) => !dispute || won || lost);
  const entries = trail.filter((entry: AnyRecord) => !entry.void);
  expect(moving.map(({ id, disputeId }) => [id, disputeId])).toEqual(
    entries.map(({ lineId, dispute }: AnyRecord) => [lineId, dispute?.id]),
  );
}

function without(record: AnyRecord, ...keys: string[]): AnyRecord {
  return Object.fromEntries(Object.entries(record).filter(([key]) => !keys.includes(key)));
}
