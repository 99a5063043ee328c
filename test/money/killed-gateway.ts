import { expect } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { type FaultProxy, passOn, startFaultProxy } from '../support/fault-proxy.ts';
import { newKey } from '../support/new-key.ts';
import type { Settings } from '../support/program.ts';
import { type Books, openBooks } from './books.ts';
import { type GatewayProcess, inFrontOf, startGatewayProcess } from './gateway-process.ts';
import { calm, expectedOf, type KillPoint, strike, type Told } from './kill-points.ts';
import { type Movement, movements } from './movement.ts';

/** What the caller does after the gateway has been started again. */
export const followUps = ['repeats', 'repeats twice', 'asks, then repeats'] as const;

/** One movement whose gateway is killed, and what its caller does then. */
export interface Run {
  readonly movement: Movement;
  /** Of 1000: two of 400 would fit, two of 1000 would not. */
  readonly amount: 400 | 1000;
  readonly killed: KillPoint;
  readonly caller: (typeof followUps)[number];
}

/** A gateway before a sandbox, killed and started again on one store. */
export interface Scene {
  /** Goes through one run and fails where it is not as the failure matrix says. */
  play(run: Run): Promise<void>;
  close(): Promise<void>;
}

/**
 * In a shared store the lease of a dead process must run out, here in seconds. An embedded
 * one belongs to the process that starts: nothing is leased to a dead one, whatever is set.
 */
const shared: Settings = { UPSTREAM_WRITE_MS: '1000', MONEY_LEASE_MS: '2000' };
const embedded: Settings = { MONEY_LEASE_MS: '60000' };
/** How long a caller goes on while the operation is leased to a dead process. */
const PATIENCE_MS = 120_000;

/** Starts a gateway on the store that the settings name. */
export async function openScene(sandbox: Sandbox, store: Settings): Promise<Scene> {
  const { key } = sandbox.demoApp;
  const books = await openBooks(sandbox);
  const proxy = await startFaultProxy(sandbox.paymentsUrl);
  const lease = 'DATABASE_URL' in store ? shared : embedded;
  const settings = { ...inFrontOf(sandbox, proxy.url), ...lease, ...store };
  const start = () => startGatewayProcess(settings, key);
  let gateway = await start();
  return {
    play: async (run) => {
      try {
        gateway = await play(run, gateway, start, books, proxy);
      } catch (error) {
        const { movement, amount, killed, caller } = run;
        const name = `${movement} of ${amount}, killed ${killed}, caller ${caller}`;
        throw Object.assign(error as Error, { message: `${name}: ${(error as Error).message}` });
      }
    },
    close: async () => {
      await gateway.stop('SIGKILL');
      await proxy.close();
    },
  };
}

async function play(
  { movement, amount, killed, caller }: Run,
  first: GatewayProcess,
  start: () => Promise<GatewayProcess>,
  books: Books,
  proxy: FaultProxy,
): Promise<GatewayProcess> {
  const whole = amount === 1000;
  const expected = expectedOf(killed, whole);
  const id = await books.charge(movement);
  const key = newKey();
  const forwarded = proxy.forwarded.length;

  async function countApplied(): Promise<number> {
    const own = (await books.entries(id)).filter(({ kind }) => kind === movement);
    expect(own).toEqual(own.map(() => ({ kind: movement, amount })));
    return own.length;
  }
  /** What is told must be in the books, whenever it is told. */
  async function checked(told: Told): Promise<Told> {
    const applied = await countApplied();
    expect(truth[told.status], `told ${told.status} with ${applied} applied`).toContain(applied);
    return told;
  }
  const move = async (at: GatewayProcess) =>
    toTold(await movements(at.ask).move(movement, id, amount, key));
  const ask = async (at: GatewayProcess) =>
    toTold({ operation: await movements(at.ask).find(id, key) });

  const { deliverLate } = strike(killed, proxy, () => void first.stop('SIGKILL'));
  let gateway = first;
  if (killed === 'never') {
    const told = await checked(await move(first));
    expect(told).toEqual({ status: 'SUCCEEDED', evidence: 'ANSWERED', replayed: false });
  } else {
    await expect(move(first)).rejects.toBeInstanceOf(TypeError);
    expect(await first.ended).toMatchObject({ code: null, signal: 'SIGKILL' });
    gateway = await start();
  }
  calm(proxy);

  if (caller === 'asks, then repeats') {
    const { replayed: _, ...told } = await checked(await settled(() => ask(gateway)));
    expect(expected.asked).toContainEqual(told);
  }
  if (whole) {
    proxy.onWrite = async (forward, response, request) => {
      await deliverLate();
      await passOn(forward, response, request);
    };
  }
  expect(expected.repeated).toContainEqual(await checked(await settled(() => move(gateway))));
  if (!whole) await deliverLate();
  if (caller === 'repeats twice') {
    const told = await checked(await settled(() => move(gateway)));
    expect(expected.ended.map((ended) => ({ ...ended, replayed: true }))).toContainEqual(told);
  }
  const { replayed: _, ...ended } = await checked(await settled(() => ask(gateway)));
  expect(expected.ended).toContainEqual(ended);
  expect(await countApplied()).toBe(expected.applied);
  const posts = proxy.forwarded.slice(forwarded).filter((name) => name.startsWith('POST'));
  expect(posts).toHaveLength(expected.posts);
  calm(proxy);
  return gateway;
}

/** How many times it may have been applied when this is told. */
const truth: Record<Told['status'], readonly number[]> = {
  SUCCEEDED: [1],
  UNKNOWN: [0, 1],
  NONE: [0],
};

// biome-ignore lint/suspicious/noExplicitAny: answers come in several shapes
function toTold({ operation, ...answer }: any): Told {
  if (operation === null) return { status: 'NONE', evidence: null, replayed: false };
  if (operation === undefined) throw new Error(`No operation: ${JSON.stringify(answer)}`);
  const { status, evidence, replayed } = operation;
  return { status, evidence, replayed };
}

/** Asks again, as a caller does who is told to wait, until something else is told. */
async function settled(ask: () => Promise<Told>): Promise<Told> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const told = await ask();
    if ((told.status as string) !== 'IN_PROGRESS') return told;
    if (Date.now() > deadline) throw new Error('It is in progress for ever.');
  }
}
