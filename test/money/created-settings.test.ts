import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readGatewaySettings } from '../../src/gateway/settings.ts';
import { passOn } from '../support/fault-proxy.ts';
import { given } from '../support/given.ts';
import { type Bench, startBench } from './bench.ts';
import { creations, IMPATIENT } from './creation.ts';
import { type OpenedStore, openedStores } from './open-stores.ts';

const [, open] = openedStores[1] as (typeof openedStores)[1];

describe.each([
  ['the guard on', { MONEY_GUARDED_REPOST: 'on' }, 'UNKNOWN'],
  ['the guard off', { MONEY_GUARDED_REPOST: 'off' }, 'UNKNOWN'],
  ['a longest time', { UPSTREAM_MAX_PROCESSING_MS: '0' }, 'NOT_APPLIED'],
])('with %s', (_what, settings, status) => {
  let bench: Bench;
  let opened: OpenedStore;
  beforeAll(async () => {
    opened = await open();
    const { money } = readGatewaySettings(settings);
    bench = await startBench({ ...IMPATIENT, money, store: opened.store });
  });
  afterAll(() => bench?.close());

  /** What was sent, was sent an hour before. */
  const letTimePass = () =>
    opened.database.query(`UPDATE money_operation SET sending_at = now() - interval '1 hour'`);

  test('a lost payment is never sent again', async () => {
    const shop = await creations(bench, await given(bench.stack).merchant());
    const input = shop.wanted();
    bench.proxy.onWrite = (_forward, response) => {
      response.destroy();
    };
    const unknown = { __typename: 'OutcomeUnknownError', code: 'OUTCOME_UNKNOWN' };
    const first = await shop.create(input);
    bench.proxy.onWrite = undefined;
    expect(first).toMatchObject({ ...unknown, operation: { status: 'UNKNOWN', evidence: null } });
    await letTimePass();
    const evidence = status === 'NOT_APPLIED' ? 'PRESUMED' : null;
    for (const again of [await shop.create(input), await shop.create(input)]) {
      expect(again).toMatchObject({ ...unknown, operation: { status, evidence, replayed: true } });
    }
    expect(await shop.find(input)).toMatchObject({ status, evidence });
    expect(bench.posts()).toBe(1);
    expect(await shop.copies(input)).toEqual([]);
  });

  test('a lost payment is not given up before all newer ones were seen', async () => {
    const shop = await creations(bench, await given(bench.stack).merchant());
    const input = shop.wanted();
    bench.proxy.onWrite = (_forward, response) => {
      // Its own looks see nothing, so that none of them is still under way below.
      bench.proxy.onRead = (_read, read) => {
        read.destroy();
      };
      response.destroy();
    };
    expect((await shop.create(input)).operation).toMatchObject({ status: 'UNKNOWN' });
    await letTimePass();
    let newer = 0;
    bench.proxy.onRead = async (forward, response, request) => {
      const { searchParams } = new URL(request.url as string, 'http://service');
      if (!searchParams.has('after')) return passOn(forward, response, request);
      const some = Array.from({ length: 100 }, () => ({
        id: `newer-${newer++}`,
        custom: null,
        successful: true,
      }));
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(some));
    };
    expect((await shop.create(input)).operation).toMatchObject({ status: 'UNKNOWN' });
    expect(newer).toBe(1_000);
    bench.reset();
    expect((await shop.create(input)).operation).toMatchObject({ status });
  });
});
