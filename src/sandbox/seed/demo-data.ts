import type { Queryable } from '../../database/database.ts';
import type { Environment } from '../environment.ts';
import { type CreatedApp, createApp } from '../payments/apps.ts';
import { authorise } from '../payments/authorise.ts';
import { settleDisputesWithin } from '../payments/disputes.ts';
import { addMember } from '../payments/members.ts';
import type { MerchantRow } from '../payments/merchant-row.ts';
import { createMerchant } from '../payments/merchants.ts';
import { applyMovement } from '../payments/movements.ts';
import { tdsOf, testCards } from '../payments/test-cards.ts';
import { insertUser } from '../users/users.ts';
import { demoMerchants, people } from './records.ts';
import { type Scenario, scenarios } from './scenarios.ts';

const RANDOM_START = 2223;
const FIRST_DAY = Date.UTC(2026, 5, 1, 8);
const PAYMENTS = 120;
const MEMBERS_PER_MERCHANT = 3;
const EXPIRY = new Date(Date.UTC(2066, 7, 31, 23, 59, 59, 999));
const MINUTE = 60_000;
/** The outcomes of disputes are always part of the demo data. */
const DISPUTE_DELAY_MS = 2_000;

/** Inserts the demo app and the demo data into empty tables. */
export async function insertDemoData(
  environment: Environment,
  tx: Queryable,
  key: string,
): Promise<void> {
  const simulation = simulate(environment, tx);
  const app = await insertApp(simulation, key);
  const merchants: MerchantRow[] = [];
  for (const input of demoMerchants) {
    merchants.push(await createMerchant(simulation.environment, tx, app.id, input));
  }
  await insertPeople(simulation, merchants);
  await insertPayments(simulation, merchants);
  // An app without access to a merchant, for the examples that give it access and take it away.
  await createApp(simulation.environment, tx, 'Bookkeeping', environment.uuid());
}

/** Inserts the demo app into empty tables. */
export async function insertDemoApp(
  environment: Environment,
  tx: Queryable,
  key: string,
): Promise<void> {
  await insertApp(simulate(environment, tx), key);
}

async function insertApp({ environment, tx }: Simulation, key: string): Promise<CreatedApp> {
  const app = await createApp(environment, tx, 'Demo', key);
  await tx.query('INSERT INTO demo_app (app_id) VALUES ($1)', [app.id]);
  return app;
}

/** An environment with a clock that only `wait` moves. */
interface Simulation {
  readonly environment: Environment;
  readonly tx: Queryable;
  readonly wait: (minutes: number) => void;
}

/** Replaces clock and randomness, so that ids, dates and amounts are the same in every run. */
function simulate(environment: Environment, tx: Queryable): Simulation {
  const random = createRandom(RANDOM_START);
  let time = FIRST_DAY;
  return {
    environment: {
      ...environment,
      random,
      uuid: createUuids(random),
      clock: () => new Date(time),
      newId: createIds(),
      disputeDelayMs: DISPUTE_DELAY_MS,
    },
    tx,
    wait: (minutes) => {
      time += minutes * MINUTE;
    },
  };
}

async function insertPeople(
  { environment, tx, wait }: Simulation,
  merchants: readonly MerchantRow[],
): Promise<void> {
  for (const [index, person] of people.entries()) {
    wait(7);
    await insertUser(tx, { id: environment.uuid(), ...person });
    const merchant = merchants[Math.floor(index / MEMBERS_PER_MERCHANT)];
    if (merchant !== undefined) await addMember(environment, tx, merchant.id, person.email);
  }
}

async function insertPayments(
  simulation: Simulation,
  merchants: readonly MerchantRow[],
): Promise<void> {
  const { environment, wait } = simulation;
  for (let count = 0; count < PAYMENTS; count++) {
    wait(300 + environment.random(900));
    const merchant = cyclic(merchants, count);
    const scenario = cyclic(scenarios, Math.floor(count / merchants.length));
    await insertScenario(simulation, merchant, scenario);
  }
}

/** Returns the item at an index, counting from the start again after the last item. */
function cyclic<T>(items: readonly T[], index: number): T {
  const item = items[index % items.length];
  if (item === undefined) throw new Error('The list is empty');
  return item;
}

/** Inserts the payment of a scenario, then its movements with some time between them. */
async function insertScenario(
  { environment, tx, wait }: Simulation,
  merchant: MerchantRow,
  { card: number, merchantInitiated = false, currency, steps }: Scenario,
): Promise<void> {
  const card = testCards.get(number);
  if (card === undefined) throw new Error(`${number} is not a test card`);
  const amount = 100 * (15 + environment.random(900));
  let row = await authorise(environment, tx, merchant, {
    card: { ...card, expiry: EXPIRY },
    merchantInitiated,
    amount,
    currency: currency ?? merchant.currency,
    custom: { reference: `Order ${1000 + environment.random(9000)}` },
    tds: tdsOf(card),
  });
  for (const [kind, percent] of steps) {
    wait(3 + environment.random(90));
    row = await applyMovement(environment, tx, row, kind, { amount: (amount / 100) * percent });
    wait(1);
    await settleDisputesWithin(environment, tx);
  }
}

/**
 * Creates a generator that returns the same numbers in every run (mulberry32): integers from 0 to
 * `below` - 1.
 */
export function createRandom(start: number): (below: number) => number {
  let state = start >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

/** Creates a generator of UUIDs v4 from random numbers. */
function createUuids(random: (below: number) => number): () => string {
  return () =>
    'xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx'.replace(/[xy]/g, (place) =>
      (place === 'x' ? random(16) : 8 + random(4)).toString(16),
    );
}

/** As many bits of an id as follow the seconds. */
const REST_BITS = 31n;
const REST = (1n << REST_BITS) - 1n;

/**
 * Creates ids as the database does, with a sequence of their own: the ids of the demo data are
 * the same whenever it is inserted.
 */
function createIds(): Environment['newId'] {
  let last = 0n;
  return async (_tx, seconds, rest) => {
    const wanted = (BigInt(seconds) << REST_BITS) | BigInt(rest);
    last = wanted > last ? wanted : last + 1n;
    const hex = (value: bigint, digits: number) => value.toString(16).padStart(digits, '0');
    return `${hex(last >> REST_BITS, 8)}7469${hex(last & REST, 12)}`;
  };
}
