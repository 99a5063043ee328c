import fc from 'fast-check';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { sendHttp } from '../support/http-client.ts';
import { rest } from '../support/rest.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';
import {
  availableFor,
  charge,
  chargedCurrencies,
  failingCards,
  fundingCurrencies,
  inputErrors,
  type Kind,
  type ModelCard,
  type ModelError,
  type ModelMerchant,
  type ModelTransaction,
  majorUnits,
  move,
  showLines,
  showTransaction,
  workingCards,
} from './ledger-model.ts';
import { createPayoutModel, currentBalance, type PayoutModel } from './payout-model.ts';
import { type AnyRecord, demoApp, fieldsOf, form, smallestMerchant } from './shop.ts';

/** PGlite runs one statement at a time and is twice as slow, so it gets fewer sequences. */
const [EVERYDAY, LONG] = inject('database') === 'PGlite' ? [30, 300] : [60, 2_000];
const SEQUENCES = inject('scale') === 1 ? EVERYDAY : LONG;
const AT_ONCE = inject('scale') === 1 ? 40 : 100;
const MOST_STEPS = 8;
const MOST_SHRINKING_MS = 30_000;
const DISPUTE_DELAY_MS = 2_000;
const PAYOUT_EVERY_MS = 5_000;
/** The clock moves by some seconds per round, so that one card expires during the test. */
const START = Date.UTC(2030, 0, 31, 23, 59, 40);
const expiries = { '01/30': Date.UTC(2030, 1) - 1, '08/66': Date.UTC(2066, 8) - 1 };

let sandbox: Sandbox;
let payoutModel: PayoutModel;
let merchants: (ModelMerchant & { key: string })[];

beforeAll(async () => {
  const clock = () => new Date(START);
  sandbox = await startTestSandbox({ controlPort: 0, environment: { clock } });
  payoutModel = createPayoutModel(START, PAYOUT_EVERY_MS);
  await rest(sandbox.controlUrl ?? '').put('/payout-schedule', { everyMs: PAYOUT_EVERY_MS });
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

/** One step of a sequence. `of` is the index of an earlier transaction or card, in a cycle. */
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
      /** The amount: thousandths of the available amount, plus some minor units. */
      readonly share: number;
      readonly extra: bigint;
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
    { weight: 9, arbitrary: fc.constantFrom(...workingCards) },
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
      extra: fc.constantFrom(0n, 0n, 0n, 0n, 1n, 1n, -1n, 999_999_999_999n, 1_000_000_000_000n),
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
/** How far the clock moves after each round of steps, in milliseconds. */
const pauses = fc.array(fc.constantFrom(0, 500, DISPUTE_DELAY_MS - 1, DISPUTE_DELAY_MS), {
  minLength: MOST_STEPS,
  maxLength: MOST_STEPS,
});

/** The records of a sequence, in the model and in the service. */
interface SequenceRecords {
  readonly merchant: ModelMerchant & { key: string };
  readonly transactions: { readonly id: string; readonly model: ModelTransaction }[];
  readonly cards: { readonly id: string; readonly source: ModelTransaction }[];
}

let stepsTaken = 0;
let payoutsMade = 0;
let sequencesTaken = 0;
/** The time at which fast-check stops looking for a smaller sequence that fails. */
let shrinkUntil = Number.POSITIVE_INFINITY;

test(`${SEQUENCES} sequences of payments and movements have the results of an independent model`, async () => {
  while (sequencesTaken < SEQUENCES) {
    await fc.assert(
      fc.asyncProperty(sequences, pauses, async (batch, waits) => {
        if (performance.now() > shrinkUntil) return;
        try {
          await run(batch, waits);
        } catch (error) {
          shrinkUntil = Math.min(shrinkUntil, performance.now() + MOST_SHRINKING_MS);
          throw error;
        } finally {
          await advance(DISPUTE_DELAY_MS); // so that no dispute is due in the next batch
        }
      }),
      { numRuns: 4 },
    );
  }
  expect(payoutsMade).toBeGreaterThan(0);
  console.log(
    `ledger model: ${sequencesTaken} sequences, ${stepsTaken} steps, ${payoutsMade} payouts, 0 differences`,
  );
}, 600_000);

test('a refund never takes back percentage fees that an earlier refund returned', async () => {
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
        ['capture', 20n], // the only capture with a percentage fee, of one cent
        ['refund', 20n],
        ['capture', 19n],
        ['capture', 19n],
        ['capture', 19n],
        ['refund', 1n],
      ] as const
    ).map(([type, extra]) => ({
      type,
      of: 0,
      share: 0,
      extra,
      currency: undefined,
      descriptor: undefined,
    })),
  ];
  await run(
    [{ merchant: fundingCurrencies.indexOf('EUR'), steps }],
    steps.map(() => 0),
  );
});

/** Moves the time of the sandbox and of the model. Returns the transactions that changed. */
async function advance(
  milliseconds: number,
  accounts: Parameters<PayoutModel['advance']>[1] = [],
): Promise<Set<ModelTransaction>> {
  const changed = payoutModel.advance(milliseconds, accounts);
  await sandbox.advanceClock(milliseconds);
  return new Set(changed);
}

/** Runs sequences in parallel, one step of each per round, then compares all records. */
async function run(
  batch: readonly { readonly merchant: number; readonly steps: readonly Step[] }[],
  waits: readonly number[],
): Promise<void> {
  const { id: marker } = (await demoApp(sandbox).post('/apps')).body.app; // smaller than later ids
  const before = await balances();
  const running = batch.map(({ merchant, steps }) => {
    const made: SequenceRecords = {
      merchant: pick(merchants, merchant),
      transactions: [],
      cards: [],
    };
    return { steps, made };
  });
  const payouts = new Map(
    merchants.map(({ id }) => [id, [] as { created: number; amount: number }[]]),
  );
  const madeBy = (merchantId: string) =>
    running.flatMap(({ made }) => (made.merchant.id === merchantId ? made.transactions : []));
  const account = (id: string) => ({
    opening: before.get(id) ?? 0,
    transactions: madeBy(id).map(({ model }) => model),
    payouts: payouts.get(id) ?? [],
  });
  for (const [round, wait] of [...waits, DISPUTE_DELAY_MS].entries()) {
    await runRound(running, round);
    const changed = await advance(
      wait,
      merchants.map(({ id }) => account(id)),
    );
    const all = running.flatMap(({ made }) => made.transactions);
    const shown = all.filter(({ model }) => changed.has(model));
    await Promise.all(shown.map(({ id, model }) => expectSame(id, model)));
  }
  sequencesTaken += batch.length;

  const after = await balances();
  await Promise.all(
    merchants.map(async ({ id }) => {
      expect(after.get(id)).toBe(currentBalance(account(id)));
      const made = madeBy(id);
      payoutsMade += account(id).payouts.length;
      if (made.length > 0) await expectRecords(id, marker, made, account(id).payouts);
    }),
  );
}

async function runRound(
  running: readonly { readonly steps: readonly Step[]; readonly made: SequenceRecords }[],
  round: number,
): Promise<void> {
  const results = await Promise.allSettled(
    running.map(async ({ steps, made }) => {
      const step = steps[round];
      if (step === undefined) return;
      stepsTaken++;
      await take(step, made);
    }),
  );
  // Not earlier, so that no request of a failed round is still running in the next attempt.
  for (const each of results) if (each.status === 'rejected') throw each.reason;
}

/** Expects the records of a merchant after `marker` to be exactly those of the model. */
async function expectRecords(
  merchantId: string,
  marker: string,
  made: SequenceRecords['transactions'],
  payouts: readonly { readonly created: number; readonly amount: number }[],
): Promise<void> {
  const newRecords = async (path: string): Promise<AnyRecord[]> => {
    const { body } = await demoApp(sandbox).get(`${path}limit=1000&after=${marker}`);
    expect(body.length).toBeLessThan(1000);
    return body;
  };
  const [transactions = [], lines = [], disputes = [], frauds = []] = await Promise.all([
    newRecords(`/merchants/${merchantId}/transactions?`),
    newRecords(`/merchants/${merchantId}/lines?`),
    newRecords(`/disputes?filter[merchantId]=${merchantId}&`),
    newRecords(`/frauds?filter[merchantId]=${merchantId}&`),
  ]);
  expect(transactions.map((each) => each.id)).toEqual(made.map((each) => each.id).sort());
  const known = new Map(made.map((each) => [each.id, each.model]));
  for (const transaction of transactions) {
    const own = (records: AnyRecord[]) =>
      records.filter(({ transactionId }) => transactionId === transaction.id);
    const model = known.get(transaction.id);
    if (model === undefined) throw new Error('The model does not know the transaction.');
    expectEqual(transaction, model);
    expectLines(transaction, own(lines), model);
    expect(own(disputes).map(({ amount }) => amount)).toEqual(
      model.disputes.map(({ amount }) => Number(amount)),
    );
    expect(own(frauds)).toHaveLength(model.fraudAlerts);
  }
  const paidOut = lines.filter(({ payout }) => payout);
  expect(paidOut.map((line) => without(line, 'id'))).toEqual(
    payouts.map(({ created, amount }) => ({
      ...{ created: new Date(created).toISOString(), merchantId, test: true },
      ...{ balance: -amount, fee: 0, bank: { iban: null }, payout: true, description: 'Payout' },
    })),
  );
  for (const records of [lines.filter(({ payout }) => !payout), disputes, frauds]) {
    expect(records.filter(({ transactionId }) => !known.has(transactionId))).toEqual([]);
  }
}

async function balances(): Promise<Map<string, number>> {
  const path = `/identities/${sandbox.demoApp.id}/merchants?limit=1000`;
  const { body } = await demoApp(sandbox).get(path);
  return new Map(body.map(({ id, balance }: AnyRecord) => [id, balance]));
}

/** Takes one step in the service and in the model, and compares the results. */
async function take(step: Step, made: SequenceRecords): Promise<void> {
  if (step.type === 'pay') await payOnPage(step, made);
  else if (step.type === 'pay again') await payAgain(step, made);
  else if (step.type === 'save card') await saveCard(step, made);
  else await moveMoney(step, made);
}

function pick<T>(list: readonly T[], index: number): T {
  const item = list[index % list.length];
  if (item === undefined) throw new Error('Nothing to pick from.');
  return item;
}

async function payOnPage(
  step: Step & { type: 'pay' },
  { merchant, transactions }: SequenceRecords,
) {
  const { card, currency, amount, expiry } = step;
  const input = { card, currency, amount, expiry: expiries[expiry], merchantInitiated: false };
  const model = charge(merchant, input, payoutModel.now());
  const link = new URLSearchParams({
    ...{ key: merchant.key, test: '1', currency, value: majorUnits(amount, currency) },
  });
  const fields = { 'card[number]': card.number, 'card[expiry]': expiry, 'card[code]': '123' };
  const sent = form(String(new URLSearchParams(fields)));
  const page = await sendHttp(`${sandbox.posUrl}/?${link}`, sent);
  const attribute = (name: string) => new RegExp(`data-${name}="([^"]+)"`).exec(page.text)?.[1];
  expect([page.status, attribute('error-code')]).toEqual(
    model.error === undefined ? [200, undefined] : [400, String(model.error)],
  );
  const name = model.error === undefined ? 'transaction-id' : 'failed-transaction-id';
  await remember(attribute(name) ?? '', model, transactions);
}

async function payAgain(
  step: Step & { type: 'pay again' },
  { merchant, transactions, cards }: SequenceRecords,
) {
  const by = cards.length === 0 && step.by === 'cardId' ? 'transactionId' : step.by;
  const { currency, amount, descriptor } = step;
  const paid = pick(transactions, step.of);
  const saved = by === 'cardId' ? pick(cards, step.of) : { id: paid.id, source: paid.model };
  const { card, expiry, error } = saved.source;
  const response = await demoApp(sandbox).post(`/merchants/${merchant.id}/transactions`, {
    ...{ [by]: saved.id, currency, amount: Number(amount), descriptor },
  });
  const errors = inputErrors({ amount, descriptor });
  if (errors.length === 0 && error !== undefined) errors.push({ field: by });
  if (errors.length > 0) return expectRejected(response, errors);
  const input = { card, expiry, currency, amount, descriptor, merchantInitiated: true };
  const model = charge(merchant, input, payoutModel.now());
  expect([response.status, response.body.code]).toEqual(
    model.error === undefined ? [201, undefined] : [400, model.error],
  );
  const { id } = (model.error === undefined ? response.body : response.body.response).transaction;
  await remember(id, model, transactions);
}

async function saveCard(
  { of }: Step & { type: 'save card' },
  { merchant, transactions, cards }: SequenceRecords,
) {
  const { id: transactionId, model: source } = pick(transactions, of);
  const response = await demoApp(sandbox).post(`/merchants/${merchant.id}/cards`, {
    transactionId,
  });
  if (source.error !== undefined) return expectRejected(response, [{ field: 'transactionId' }]);
  expect(response.status).toBe(201);
  cards.push({ id: response.body.card.id, source });
}

async function moveMoney(
  step: Step & { type: Kind },
  { transactions }: SequenceRecords,
): Promise<void> {
  const { type: kind, share, extra, descriptor } = step;
  const { id, model } = pick(transactions, step.of);
  const amount = (availableFor(model, kind) * BigInt(share)) / 1000n + extra;
  const other = model.currency === 'EUR' ? 'USD' : 'EUR';
  const currency = step.currency && (step.currency === 'another' ? other : model.currency);
  const response = await demoApp(sandbox).post(`/transactions/${id}/${kind}s`, {
    ...{ amount: Number(amount), currency, descriptor },
  });
  const errors = move(model, kind, { amount, currency, descriptor }, payoutModel.now());
  if (errors.length > 0) {
    expectRejected(response, errors);
    return expectSame(id, model);
  }
  expect(response.status).toBe(201);
  expect(response.body.transaction.id).toBe(id);
  expectEqual(response.body.transaction, model);
}

async function remember(
  id: string,
  model: ModelTransaction,
  transactions: SequenceRecords['transactions'],
) {
  transactions.push({ id, model });
  await expectSame(id, model);
}

function expectRejected({ status, body }: AnyRecord, errors: readonly ModelError[]): void {
  expect(status).toBe(400);
  expect(fieldsOf(body)).toEqual(fieldsOf(errors));
  expect(body).toMatchObject(errors);
}

async function expectSame(id: string, model: ModelTransaction): Promise<void> {
  const { transaction } = (await demoApp(sandbox).get(`/transactions/${id}`)).body;
  expect(transaction.id).toBe(id);
  expectEqual(transaction, model);
}

/** Expects the transaction of the model, and no amount below 0 or above its limit. */
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

/** Expects the lines of the model, and one line for each entry that moves money. */
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
