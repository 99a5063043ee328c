import { afterEach, expect, test } from 'vitest';
import { createUserSource } from '../../src/gateway/domain/user/user-source.ts';
import { createRestService } from '../../src/gateway/upstream/rest-client.ts';
import { anyCaller } from '../support/caller.ts';
import { patientGateway } from '../support/patience.ts';
import { startStubService } from '../support/stub-service.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

test('the list is read again after every write, even one with an unknown outcome', async () => {
  const service = await startStubService({
    'GET /users': { json: [{ id: 'u1' }] },
    'PATCH /users/u1': { json: {} },
    'DELETE /users/u1': { status: 500 },
  });
  const limits = { getMs: 500, writeMs: 500, maxBytes: 4096 };
  const users = createRestService({
    service: 'users',
    baseUrl: service.url,
    limits,
    pageMax: 100,
    needsCredential: false,
    connections: patientGateway.upstream.connections,
  });
  closers.push(service.close, users.close);
  const source = createUserSource(users.as(anyCaller()), async () => {});

  await source.list();
  await source.list();
  await source.update('u1', { name: 'x' });
  await source.list();
  await expect(source.delete('u1')).rejects.toMatchObject({ status: 500, outcome: 'UNKNOWN' });
  await source.list();
  expect(service.requests).toEqual([
    'GET /users',
    'PATCH /users/u1',
    'GET /users',
    'DELETE /users/u1',
    'GET /users',
  ]);
});
