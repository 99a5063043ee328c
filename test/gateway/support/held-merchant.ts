import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import type { GatewaySettings } from '../../../src/gateway/settings/settings.ts';
import { createEpochs, type Epochs } from '../../../src/gateway/upstream/epochs.ts';
import { createMemoryStore } from '../../money/support/memory-store.ts';
import { patientStore } from '../../support/patience.ts';
import { startGateway } from '../../support/start-stack.ts';
import { type StubAnswer, startStubService } from '../../support/stub-service.ts';

/** What a read of the merchant shows. */
export interface Shown {
  /** How many steps had been made when the service was read. */
  readonly at: number;
  /** How many writes were applied then. */
  readonly writes: number;
}

/** A gateway in front of a service that answers when it is told to. */
export interface HeldMerchant {
  /** Sends a query, and resolves when the gateway has made or joined the read. */
  read(query: string): Promise<{ readonly shown: Promise<Shown> }>;
  /** Sends a change, and resolves when it has reached the service. */
  write(): Promise<{ end(): Promise<void> }>;
  /** Answers all reads that wait. */
  releaseReads(): void;
  /** Counts the steps of an order. Set by the test. */
  step: number;
  /** How many reads have reached the service. */
  readonly reads: number;
}

/** Who reads, who writes, and what they share. */
export interface Sharing {
  readonly coalesce: GatewaySettings['coalesce'];
  readonly reader: string;
  readonly writer: string;
  readonly spoil?: (epochs: Epochs) => Epochs;
}

const WRITE = 'mutation { updateMerchant(input: { merchantId: "m1", name: "x" }) { __typename } }';

/** Starts both. They are closed when the test ends. */
export async function startHeldMerchant(sharing: Sharing): Promise<HeldMerchant> {
  const { reader, writer, coalesce, spoil = (epochs) => epochs } = sharing;
  const reads: (() => void)[] = [];
  const writes: ServerResponse[] = [];
  const state = { arrived: 0, applied: 0, step: 0 };
  let notice = () => {};
  const hold: StubAnswer = (_request, response) => {
    state.arrived++;
    const name = JSON.stringify({ at: state.step, writes: state.applied });
    reads.push(() => void response.end(JSON.stringify({ merchant: { id: 'm1', name } })));
    notice();
  };
  const service = await startStubService({
    'GET /me': { json: { identity: { id: 'a1' } } },
    'GET /merchants/m1': hold,
    'PUT /merchants/m1': (_request, response) => {
      writes.push(response);
      notice();
    },
  });
  onTestFinished(() => service.close());
  const sent = countReads();
  const gateway = await startGateway({
    services: { usersUrl: service.url, paymentsUrl: service.url, posUrl: 'http://127.0.0.1:1' },
    store: createMemoryStore(Date.now, patientStore.leaseMs),
    coalesce,
    epochs: spoil(createEpochs(coalesce, Number.POSITIVE_INFINITY)),
    onBegun: () => notice(),
  });
  onTestFinished(() => gateway.close());
  // The first call with a key is made alone.
  for (const key of [reader, writer]) await gateway.ask('{ viewer { rawId } }', {}, key);

  /** Resolves after something has happened. */
  const next = () =>
    new Promise<void>((resolve) => {
      notice = resolve;
    });

  return {
    get reads() {
      return state.arrived;
    },
    get step() {
      return state.step;
    },
    set step(step) {
      state.step = step;
    },
    read: async (query) => {
      const begun = next();
      const answer = gateway.ask(query, {}, reader);
      await begun;
      while (state.arrived < sent()) await next();
      return { shown: answer.then(({ data }) => JSON.parse(data.merchant.name)) };
    },
    write: async () => {
      const arrived = writes.length;
      const answer = gateway.ask(WRITE, {}, writer);
      while (writes.length === arrived) await next();
      const response = writes.at(-1);
      return {
        end: async () => {
          state.applied++;
          response?.writeHead(204).end();
          await answer;
        },
      };
    },
    releaseReads: () => {
      for (const release of reads.splice(0)) release();
    },
  };
}

/** Counts the reads of the merchant that the gateway has sent. */
function countReads(): () => number {
  let count = 0;
  const note = (message: unknown) => {
    // undici publishes the request as it is sent.
    const { request } = message as { request: { method: string; path: string } };
    if (request.method === 'GET' && request.path === '/merchants/m1') count++;
  };
  subscribe('undici:request:create', note);
  onTestFinished(() => void unsubscribe('undici:request:create', note));
  return () => count;
}
