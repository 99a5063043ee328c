import { afterAll, beforeAll, expect, test } from 'vitest';
import { path } from '../../src/gateway/upstream/path.ts';
import { createRestService, type RestService } from '../../src/gateway/upstream/rest-client.ts';
import { anyCaller } from '../support/caller.ts';
import { patientGateway } from '../support/patience.ts';
import { type StubService, startStubService } from '../support/stub-service.ts';

const LONG_MS = 60_000;
const SHORT_MS = 20;

let stub: StubService;
/** Ends the request that is waiting for an answer. */
let end: () => void;
/** Resolves when that request has arrived. */
let arrived: Promise<void>;
const services: RestService[] = [];
beforeAll(async () => {
  let arrive: () => void;
  arrived = new Promise((resolve) => {
    arrive = resolve;
  });
  stub = await startStubService({
    'POST /captures': (_request, response) => {
      end = () => response.destroy();
      arrive();
    },
  });
});
afterAll(async () => {
  await stub?.close();
  await Promise.all(services.map((service) => service.close()));
});

function open(baseUrl: string, writeMs: number) {
  const limits = { getMs: LONG_MS, writeMs, maxBytes: 1_000 };
  const service = createRestService({
    service: 'payments',
    baseUrl,
    needsCredential: false,
    connections: patientGateway.upstream.connections,
    pageMax: 100,
    limits,
  });
  services.push(service);
  return service.anonymous(anyCaller());
}

test('a request that was sent stays sent when another one with the same key never leaves', async () => {
  const sent = open(stub.url, LONG_MS).send('POST', path`/captures`, {}, 'one-key');
  await arrived;
  // Nothing listens on this port of the discard protocol.
  const refused = open('http://127.0.0.1:9', SHORT_MS).send('POST', path`/captures`, {}, 'one-key');
  await expect(refused).rejects.toMatchObject({ outcome: 'NOT_SENT' });
  end();
  await expect(sent).rejects.toMatchObject({ outcome: 'UNKNOWN' });
});
