import { expect } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import type { Answer } from '../../support/ask.ts';
import { type FaultProxy, passOn, startFaultProxy } from '../../support/fault-proxy.ts';
import { CutOffError } from '../../support/http-client.ts';
import { newKey } from '../../support/new-key.ts';
import type { Settings } from '../../support/program.ts';
import { type GatewayProcess, settingsFor, spawnGatewayProcess } from './gateway-process.ts';
import {
  expectedAfter,
  type KillPoint,
  killAt,
  type Reported,
  resumeForwarding,
} from './kill-points.ts';
import { findOperation, type Movement, movementInput, submit } from './money-client.ts';
import { endLeases } from './open-stores.ts';
import { openServiceLedger, type ServiceLedger } from './service-ledger.ts';

/** What the caller does after the gateway was started again. */
export const followUps = ['repeats', 'repeats twice', 'queries, then repeats'] as const;

/** One operation whose gateway is killed, and what its caller does then. */
export interface KillRun {
  readonly movement: Movement;
  /** Of 1000: two of 400 would fit, two of 1000 would not, which the guard proves. */
  readonly amount: 400 | 1000;
  readonly killed: KillPoint;
  readonly caller: (typeof followUps)[number];
}

/** A run in words, for the name of its test. */
export function describeRun({ movement, amount, killed, caller }: KillRun): string {
  const gateway = killed === 'never' ? 'is not killed' : `is killed ${killed}`;
  return `a ${movement} of ${amount} whose gateway ${gateway} and whose caller ${caller}`;
}

/** A gateway in front of a sandbox, which is killed and started again on one store. */
export interface KillScenario {
  /** Performs one run. Fails if anything differs from what must become of the operation. */
  run(run: KillRun): Promise<void>;
  close(): Promise<void>;
}

/** What a run works with. */
interface Stage {
  readonly ledger: ServiceLedger;
  readonly proxy: FaultProxy;
  /** The gateway that runs at the moment, started again if it was killed. */
  gateway(): Promise<GatewayProcess>;
}

/** Opens a scenario on the store that `store` names: `DATA_DIR` or `DATABASE_URL`. */
export async function openKillScenario(sandbox: Sandbox, store: Settings): Promise<KillScenario> {
  const ledger = await openServiceLedger(sandbox);
  const proxy = await startFaultProxy(sandbox.paymentsUrl);
  const settings = { ...settingsFor(sandbox, proxy.url), ...store };
  const { DATABASE_URL } = store;
  const start = () => spawnGatewayProcess(settings, sandbox.demoApp.key);
  let gateway = await start();
  let isDead = false;

  const stage: Stage = {
    ledger,
    proxy,
    gateway: async () => {
      if (!isDead) return gateway;
      // A shared store keeps the lease of a dead process until its time has passed.
      if (DATABASE_URL !== undefined) await endLeases(DATABASE_URL);
      gateway = await start();
      isDead = false;
      return gateway;
    },
  };
  return {
    run: async (run) => {
      resumeForwarding(proxy);
      const { killed } = run;
      const first = await stage.gateway();
      const kill = () => {
        isDead = true;
        void first.stop('SIGKILL');
      };
      const { deliverLate } = killAt(killed, proxy, kill);
      await perform(run, stage, deliverLate);
    },
    close: async () => {
      await gateway.stop('SIGKILL');
      await proxy.close();
    },
  };
}

async function perform(
  { movement, amount, killed, caller }: KillRun,
  { ledger, proxy, gateway }: Stage,
  deliverLate: () => Promise<void>,
): Promise<void> {
  const guarded = amount === 1000;
  const expected = expectedAfter(killed, guarded);
  const client = await createClient(movement, amount, ledger);
  const forwarded = proxy.forwarded.length;

  const first = await gateway();
  if (killed === 'never') {
    const reported = await client.send(first);
    expect(reported).toEqual({ status: 'SUCCEEDED', evidence: 'ANSWERED', replayed: false });
  } else {
    await expect(client.send(first)).rejects.toBeInstanceOf(CutOffError);
    expect(await first.ended).toMatchObject({ code: null, signal: 'SIGKILL' });
  }
  const second = await gateway();
  resumeForwarding(proxy);

  if (caller === 'queries, then repeats') {
    expect(expected.queried).toContainEqual(withoutReplayed(await client.query(second)));
  }
  if (guarded) {
    proxy.onWrite = async (...exchange) => {
      await deliverLate();
      await passOn(...exchange);
    };
  }
  expect(expected.repeated).toContainEqual(await client.send(second));
  if (!guarded) await deliverLate();
  if (caller === 'repeats twice') {
    const final = expected.final.map((reported) => ({ ...reported, replayed: true }));
    expect(final).toContainEqual(await client.send(second));
  }
  expect(expected.final).toContainEqual(withoutReplayed(await client.query(second)));
  expect(await client.countApplied()).toBe(expected.applied);
  const posts = proxy.forwarded.slice(forwarded).filter((name) => name.startsWith('POST'));
  expect(posts).toHaveLength(expected.posts);
}

/** How often an operation may have been applied when a status is reported. */
const possible: Record<Reported['status'], readonly number[]> = {
  SUCCEEDED: [1],
  UNKNOWN: [0, 1],
  NONE: [0],
};

/** The caller of one operation, who compares every report with the service's ledger. */
async function createClient(movement: Movement, amount: number, ledger: ServiceLedger) {
  const transactionId = await ledger.createTransaction(movement);
  const input = movementInput(transactionId, amount, newKey());

  async function countApplied(): Promise<number> {
    const own = (await ledger.entries(transactionId)).filter(({ kind }) => kind === movement);
    expect(own).toEqual(own.map(() => ({ kind: movement, amount })));
    return own.length;
  }
  async function check(reported: Reported): Promise<Reported> {
    const applied = await countApplied();
    expect(possible[reported.status], `${reported.status} with ${applied} applied`).toContain(
      applied,
    );
    return reported;
  }
  return {
    countApplied,
    send: async ({ ask }: GatewayProcess) => {
      const result = await submit(ask, movement, input);
      if (result.operation === undefined) throw new Error(`Rejected: ${JSON.stringify(result)}`);
      return check(toReported(result.operation));
    },
    query: async ({ ask }: GatewayProcess) =>
      check(toReported(await findOperation(ask, ledger.merchantId, input.idempotencyKey))),
  };
}

function toReported(operation: Answer['data'] | null): Reported {
  if (operation === null) return { status: 'NONE', evidence: null, replayed: false };
  const { status, evidence, replayed } = operation;
  return { status, evidence, replayed };
}

function withoutReplayed({ status, evidence }: Reported): Omit<Reported, 'replayed'> {
  return { status, evidence };
}
