import { expect } from 'vitest';
import { form, smallestMerchant } from '../../sandbox/shop.ts';
import { CutOffError, sendHttp } from '../../support/http-client.ts';
import type { RestAnswer } from '../../support/rest.ts';
import type { SandboxProcess } from './sandbox-process.ts';

const WRITERS = 20;
/** The process is killed after up to this many answers, sometimes before the first. */
const MAX_ANSWERS = 120;
/** Cards: a plain one, one whose captures bring disputes that are lost, one with a fraud alert. */
const CARDS = ['4100000000000000', '4100000000000102', '4100000000000110'];

/** What was asked for. The acknowledged part must exist; the part that was cut off may. */
export interface Asked {
  acknowledged: number;
  cutOff: number;
}

/** The paths of the movements, each with the counter of a transaction that it adds to. */
export const movementPaths = {
  captures: 'captured',
  refunds: 'refunded',
  voids: 'voided',
} as const;

type MovementPath = keyof typeof movementPaths;
type Totals = Record<(typeof movementPaths)[MovementPath], Asked>;

/** All writes between two kills. */
export interface Round {
  readonly merchantId: string;
  readonly users: Asked & { readonly ids: string[] };
  readonly transactions: Asked;
  readonly movements: Asked;
  /** The counters of every transaction whose id was returned. */
  readonly totals: Map<string, Totals>;
}

/** An integer from 0 to below the limit. */
type RandomInteger = (limit: number) => number;

/** Writes with 20 writers on a new merchant, and kills the sandbox while they work. */
export async function writeUntilKilled(
  sandbox: SandboxProcess,
  random: RandomInteger,
): Promise<Round> {
  const { payments } = sandbox;
  const created = await payments.post('/merchants', { ...smallestMerchant, test: true });
  const { merchant } = created.body;
  const sources = await Promise.all(CARDS.map((card) => payOnPage(sandbox, merchant.key, card)));
  const round: Round = {
    merchantId: merchant.id,
    users: { ...nothing(), ids: [] },
    transactions: { acknowledged: CARDS.length, cutOff: 0 },
    movements: nothing(),
    totals: new Map(),
  };
  for (const id of sources) addTransaction(round, id);
  const killer = createKiller(sandbox, random(MAX_ANSWERS));
  await Promise.all(
    Array.from({ length: WRITERS }, async () => {
      do await writeOnce(sandbox, round, sources, random, killer.send);
      while (killer.isAlive());
    }),
  );
  expect(await killer.killed).toMatchObject({ signal: 'SIGKILL' });
  return round;
}

const nothing = (): Asked => ({ acknowledged: 0, cutOff: 0 });

function addTransaction({ totals }: Round, id: string): void {
  totals.set(id, { captured: nothing(), refunded: nothing(), voided: nothing() });
}

/** Sends one write and counts it; undefined if it was cut off. */
type Send = (asked: Asked, write: Promise<RestAnswer>) => Promise<RestAnswer | undefined>;

/** Kills the process after some answers. */
function createKiller(sandbox: SandboxProcess, answers: number) {
  let left = answers;
  let isAlive = true;
  function kill(): void {
    isAlive = false;
    void sandbox.stop('SIGKILL');
  }
  if (left === 0) kill();
  const send: Send = async (asked, write) => {
    try {
      const answer = await write;
      if (answer.status === 201) asked.acknowledged++;
      // A movement that does not fit is rejected.
      else expect([400, 409]).toContain(answer.status);
      if (left-- <= 0 && isAlive) kill();
      return answer;
    } catch (error) {
      if (!(error instanceof CutOffError) || isAlive) throw error;
      asked.cutOff++;
      return undefined;
    }
  };
  return { send, isAlive: () => isAlive, killed: sandbox.ended };
}

async function writeOnce(
  { payments, users }: SandboxProcess,
  round: Round,
  sources: readonly string[],
  random: RandomInteger,
  send: Send,
): Promise<void> {
  const what = random(6);
  const amount = 1 + random(400);
  if (what === 0) {
    const user = { name: 'Ada', email: 'ada@example.com', address: 'London' };
    const answer = await send(round.users, users.post('/users', user));
    if (answer !== undefined) round.users.ids.push(answer.body.id);
    return;
  }
  if (what === 1) {
    const input = { transactionId: sources[random(sources.length)], currency: 'EUR', amount: 1000 };
    const path = `/merchants/${round.merchantId}/transactions`;
    const answer = await send(round.transactions, payments.post(path, input));
    if (answer !== undefined) addTransaction(round, answer.body.transaction.id);
    return;
  }
  const path: MovementPath =
    (['captures', 'captures', 'refunds', 'voids'] as const)[what - 2] ?? 'captures';
  const all = [...round.totals];
  const [id, totals] = all[random(all.length)] ?? [];
  if (id === undefined || totals === undefined) throw new Error('There is no transaction.');
  const total = totals[movementPaths[path]];
  const answer = await send(
    round.movements,
    payments.post(`/transactions/${id}/${path}`, { amount }),
  );
  if (answer === undefined) total.cutOff += amount;
  else if (answer.status === 201) total.acknowledged += amount;
}

async function payOnPage({ posUrl }: SandboxProcess, key: string, card: string): Promise<string> {
  const fields = { 'card[number]': card, 'card[expiry]': '08/66', 'card[code]': '123' };
  const sent = form(String(new URLSearchParams(fields)));
  const page = await sendHttp(`${posUrl}/?key=${key}&test=1&currency=EUR&value=10`, sent);
  const [, id] = /data-transaction-id="(\w+)"/.exec(page.text) ?? [];
  if (id === undefined) throw new Error(`No payment: ${page.status}`);
  return id;
}
