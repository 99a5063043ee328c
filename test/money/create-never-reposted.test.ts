import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readGatewaySettings } from '../../src/gateway/settings/settings.ts';
import { passOn } from '../support/fault-proxy.ts';
import { given } from '../support/given.ts';
import { loseRequest } from './support/faults.ts';
import { type MerchantClient, openMerchantClient } from './support/merchant-client.ts';
import { type OpenedStore, openPostgresWithDatabase } from './support/open-stores.ts';
import { type ProxiedGateway, startProxiedGateway } from './support/proxied-gateway.ts';

describe.each([
  ['the guarded second POST on', { MONEY_GUARDED_REPOST: 'on' }, 'UNKNOWN'],
  ['the guarded second POST off', { MONEY_GUARDED_REPOST: 'off' }, 'UNKNOWN'],
  ['a longest processing time', { UPSTREAM_MAX_PROCESSING_MS: '0' }, 'NOT_APPLIED'],
])('with %s', (_setting, settings, status) => {
  let opened: OpenedStore;
  let gateway: ProxiedGateway;
  let merchant: MerchantClient;
  beforeAll(async () => {
    opened = await openPostgresWithDatabase();
    const { money } = readGatewaySettings(settings);
    gateway = await startProxiedGateway({ store: opened.store, money });
    merchant = await openMerchantClient(gateway, await given(gateway.direct).merchant());
  });
  afterAll(() => gateway?.close());

  /** Makes all operations as old as if they had been sent yesterday. */
  async function waitOneDay(): Promise<void> {
    await opened.store.sweep({ retentionDays: 35, ownMs: 0 });
    await opened.database.query('UPDATE store_clock SET elapsed = elapsed + 86400000');
  }

  test('a lost request to create a transaction is never sent again', async () => {
    gateway.reset();
    const input = merchant.newInput();
    gateway.proxy.onWrite = loseRequest;
    const unknown = { __typename: 'OutcomeUnknownError', code: 'OUTCOME_UNKNOWN' };
    expect(await merchant.create(input)).toMatchObject({
      ...unknown,
      operation: { status: 'UNKNOWN', evidence: null },
    });
    gateway.proxy.onWrite = undefined;
    await waitOneDay();
    const evidence = status === 'NOT_APPLIED' ? 'PRESUMED' : null;
    for (let repeats = 0; repeats < 2; repeats++) {
      expect(await merchant.create(input)).toMatchObject({
        ...unknown,
        operation: { status, evidence, replayed: true },
      });
    }
    expect(await merchant.findOperation(input)).toMatchObject({ status, evidence });
    expect(gateway.posts()).toBe(1);
    expect(await merchant.created(input)).toEqual([]);
  });

  test('nothing is presumed before all newer transactions were read', async () => {
    gateway.reset();
    const input = merchant.newInput();
    gateway.proxy.onWrite = (...exchange) => {
      gateway.proxy.onRead = loseRequest;
      return loseRequest(...exchange);
    };
    expect((await merchant.create(input)).operation).toMatchObject({ status: 'UNKNOWN' });
    await waitOneDay();
    let newer = 0;
    gateway.proxy.onRead = async (forward, response, request) => {
      const { searchParams } = new URL(request.url ?? '', 'http://service');
      if (!searchParams.has('after')) return passOn(forward, response, request);
      const page = Array.from({ length: 100 }, () => ({
        id: `newer-${newer++}`,
        custom: null,
        successful: true,
      }));
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(page));
    };
    expect((await merchant.create(input)).operation).toMatchObject({ status: 'UNKNOWN' });
    expect(newer).toBe(1_000);
    gateway.reset();
    expect((await merchant.create(input)).operation).toMatchObject({ status });
  });
});
