import { afterAll, beforeAll, expect, test } from 'vitest';
import { startGateway } from '../support/start-stack.ts';
import { type StubService, startStubService } from '../support/stub-service.ts';

let service: StubService;
let gateway: Awaited<ReturnType<typeof startGateway>>;
/** A service that has these records, and not the ones that they refer to. */
beforeAll(async () => {
  const record = { id: 'r1', merchantId: 'm1', transactionId: 't1', created: '2026-06-01' };
  service = await startStubService({
    'GET /transactions/r1': { json: { transaction: record } },
    'GET /lines/r1': { json: { line: record } },
    'GET /disputes/r1': { json: { dispute: record } },
    'GET /frauds/r1': { json: { fraud: record } },
  });
  gateway = await startGateway({
    services: { usersUrl: service.url, paymentsUrl: service.url, posUrl: service.url },
  });
});
afterAll(async () => {
  await gateway.close();
  await service.close();
});

// These fields have the directive @semanticNonNull.
test.each([
  ['transaction', 'merchant'],
  ['line', 'merchant'],
  ['dispute', 'merchant'],
  ['dispute', 'transaction'],
  ['fraudAlert', 'merchant'],
  ['fraudAlert', 'transaction'],
])(
  'a %s whose %s does not exist has an error for it, and its other fields',
  async (type, field) => {
    const { data, errors } = await gateway.ask(
      `{ ${type}(id: "r1") { createdAt ${field} { id } } }`,
      {},
      'key',
    );
    expect(data[type]).toEqual({ createdAt: '2026-06-01T00:00:00.000Z', [field]: null });
    expect(errors).toEqual([
      expect.objectContaining({
        message: 'The payments service returned an invalid response.',
        path: [type, field],
        extensions: { code: 'UPSTREAM_BAD_RESPONSE', service: 'payments' },
      }),
    ]);
  },
);
