import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import type { RestCaller } from '../support/rest.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';
import { type AnyRecord, demoApp, fieldsOf, newApp, openShop, smallestMerchant } from './shop.ts';

const SMALLEST = '0'.repeat(24);
const LARGEST = 'f'.repeat(24);
const lists = ['merchants', 'transactions', 'lines'] as const;

let sandbox: Sandbox;
/** The path of each list, and a caller with access to it. */
const at: Record<string, { path: string; caller: RestCaller }> = {};

beforeAll(async () => {
  sandbox = await startTestSandbox();
  const caller = demoApp(sandbox);
  const { id } = await openShop(sandbox);
  at.transactions = { path: `/merchants/${id}/transactions`, caller };
  at.lines = { path: `/merchants/${id}/lines`, caller };
  const owner = await newApp(sandbox);
  for (let count = 0; count < 7; count++) await owner.post('/merchants', smallestMerchant);
  at.merchants = { path: `/identities/${owner.id}/merchants`, caller: owner };
  at.members = { path: `/merchants/${id}/users`, caller };
  at.apps = { path: `/merchants/${id}/apps`, caller };
  for (let count = 0; count < 5; count++) {
    await caller.post(`/merchants/${id}/users`, { email: `member-${count}@example.com` });
    await caller.post(`/merchants/${id}/apps`, { appId: (await newApp(sandbox)).id });
  }
  const filter = `filter[merchantId]=${id}`;
  at.disputes = { path: `/disputes?${filter}`, caller };
  at.frauds = { path: `/frauds?${filter}`, caller };
  for (const last4 of ['0100', '0110']) {
    const shop = await openShop(sandbox, 'EUR', last4);
    for (let count = 0; count < 6; count++) {
      await shop.move('captures', (await shop.charge(10)).id, { amount: 10 });
    }
  }
});
afterAll(() => sandbox.close());

function listAt(name: string): { path: string; caller: RestCaller } {
  const found = at[name];
  if (found === undefined) throw new Error(`There is no list ${name}.`);
  return found;
}

function get(list: string, query: string) {
  const { path, caller } = listAt(list);
  return caller.get(`${path}${path.includes('?') ? '&' : '?'}${query}`);
}

async function records(list: string, query: string): Promise<AnyRecord[]> {
  return (await get(list, query)).body;
}

async function ids(list: string, query: string): Promise<string[]> {
  return (await records(list, query)).map(({ id }) => id);
}

/** Requests the list in parts, each from the last id of the one before. */
async function readInParts(list: string, cursor: 'before' | 'after', start: string, limit: number) {
  const all: AnyRecord[] = [];
  let from = start;
  for (;;) {
    const found = await records(list, `limit=${limit}&${cursor}=${from}`);
    all.push(...found);
    if (found.length < limit) return all;
    from = found.at(-1).id;
  }
}

describe.each(lists)('the list of %s', (list) => {
  test('has descending ids, so the newest record is first', async () => {
    const all = await ids(list, 'limit=1000');
    expect(all.length).toBeGreaterThan(6);
    expect(all).toEqual([...all].sort().reverse());
  });

  test.each([1, 2, 7, 1000])(
    'is complete when it is read with `before` and the limit %i',
    async (limit) => {
      expect(await readInParts(list, 'before', LARGEST, limit)).toEqual(
        await records(list, 'limit=1000'),
      );
    },
  );

  test.each([1, 2, 7, 1000])(
    'is complete and reversed when it is read with `after` and the limit %i',
    async (limit) => {
      const all = await records(list, 'limit=1000');
      expect(await readInParts(list, 'after', SMALLEST, limit)).toEqual(all.reverse());
    },
  );

  test('starts with the newest record and ends at the limit', async () => {
    const all = await ids(list, 'limit=1000');
    expect(await ids(list, 'limit=3')).toEqual(all.slice(0, 3));
  });

  test('continues with the next older record after `before`', async () => {
    const all = await ids(list, 'limit=1000');
    expect(await ids(list, `limit=2&before=${all[2]}`)).toEqual([all[3], all[4]]);
  });

  test('starts with the next newer record after `after`', async () => {
    const all = await ids(list, 'limit=1000');
    expect(await ids(list, `limit=2&after=${all[4]}`)).toEqual([all[3], all[2]]);
  });

  test('contains the records between two cursors, newest first', async () => {
    const all = await ids(list, 'limit=1000');
    const between = `before=${all[1]}&after=${all[5]}`;
    expect(await ids(list, `limit=10&${between}`)).toEqual([all[2], all[3], all[4]]);
    expect(await ids(list, `limit=2&${between}`)).toEqual([all[2], all[3]]);
    expect(await ids(list, `limit=9&before=${all[5]}&after=${all[1]}`)).toEqual([]);
  });

  test('compares the value of a cursor that is not an id of a record, ignoring case', async () => {
    const all = await ids(list, 'limit=1000');
    const beside = `${all[3]?.slice(0, -1)}${all[3]?.endsWith('0') ? '1' : '0'}`;
    const older = all.filter((id) => id < beside);
    expect(await ids(list, `limit=1000&before=${beside}`)).toEqual(older);
    expect(await ids(list, `limit=1000&before=${beside.toUpperCase()}`)).toEqual(older);
    expect(await ids(list, `limit=1000&before=${LARGEST.toUpperCase()}`)).toEqual(all);
  });

  test('is an array without an envelope, with one element per line', async () => {
    const { headers, text, body } = await get(list, 'limit=3');
    expect(text).toBe(`[\n${body.map((each: unknown) => JSON.stringify(each)).join(',\n')}\n]`);
    expect(body).toHaveLength(3);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect((await get(list, `limit=3&after=${LARGEST}`)).text).toBe('[\n]');
  });

  test('contains each record as GET returns it', async () => {
    const { caller } = listAt(list);
    const [element] = await records(list, 'limit=1');
    const { body } = await caller.get(`/${list}/${element.id}`);
    expect(body[list.slice(0, -1)] ?? body).toEqual(element);
  });

  test.each([
    '',
    'limit=',
    'limit=0',
    'limit=1001',
    'limit=-1',
    'limit=1.5',
    'limit=x',
    'limit=+1',
  ])('rejects the query "%s" because of its limit', async (query) => {
    const { status, body } = await get(list, query);
    expect(status).toBe(400);
    expect(fieldsOf(body)).toEqual(['limit']);
  });

  test.each(['', 'x', SMALLEST.slice(1), `${SMALLEST}0`, `${'0'.repeat(23)}g`, '%00'])(
    'rejects the cursor "%s"',
    async (cursor) => {
      for (const name of ['before', 'after']) {
        const { status, body } = await get(list, `limit=1&${name}=${cursor}`);
        expect(status).toBe(400);
        expect(fieldsOf(body)).toEqual([name]);
      }
    },
  );

  test('lists every invalid parameter', async () => {
    const { status, body } = await get(list, 'limit=x&before=y&after=z&filter[test]=q&filter[a]=1');
    expect(status).toBe(400);
    expect(fieldsOf(body)).toEqual(['limit', 'before', 'after', 'filter[test]', 'filter[a]']);
  });

  test('accepts a filter with plain or encoded brackets, and every word for a Boolean', async () => {
    const wanted = list === 'merchants' ? ['no', 'n', 'false', '0'] : ['yes', 'y', 'true', '1'];
    const all = await ids(list, 'limit=1000');
    for (const word of wanted) {
      expect(await ids(list, `limit=1000&filter[test]=${word}`)).toEqual(all);
      expect(await ids(list, `limit=1000&filter%5Btest%5D=${word}`)).toEqual(all);
    }
  });

  test.each(['filter[currency]=EUR', 'filter[]=1', 'filter[a][b]=1', 'filter[test]=maybe'])(
    'rejects %s',
    async (filter) => {
      const { status, body } = await get(list, `limit=1&${filter}`);
      expect(status).toBe(400);
      expect(fieldsOf(body)).toEqual([filter.split('=')[0]]);
    },
  );

  test('ignores unknown parameters, but rejects a repeated known one', async () => {
    const plain = (await get(list, 'limit=2')).text;
    expect((await get(list, 'limit=2&sort=id&sort=x&page=3')).text).toBe(plain);
    for (const name of ['limit', 'before', 'after', 'filter[test]']) {
      const value = { limit: '2', 'filter[test]': 'no' }[name] ?? LARGEST;
      const twice = `${name}=${value}&${name}=${value}`;
      const { status, body } = await get(list, name === 'limit' ? twice : `limit=2&${twice}`);
      expect(status).toBe(400);
      expect(fieldsOf(body)).toEqual([name]);
    }
  });
});

test.each(['merchants', 'lines'])('the list of %s has no filter[successful]', async (list) => {
  const { status, body } = await get(list, 'limit=1&filter[successful]=yes');
  expect(status).toBe(400);
  expect(fieldsOf(body)).toEqual(['filter[successful]']);
});

describe.each([...lists, 'members', 'apps', 'disputes', 'frauds'])('the list of %s', (list) => {
  test('has the same order and the same cursors as all others', async () => {
    const all = await ids(list, 'limit=1000');
    expect(all.length).toBeGreaterThan(5);
    expect(all).toEqual([...all].sort().reverse());
    const [newest, second, third, fourth, fifth, sixth] = all;
    expect(await ids(list, `limit=2&before=${second}`)).toEqual([third, fourth]);
    expect(await ids(list, `limit=2&after=${fourth}`)).toEqual([third, second]);
    const between = `before=${newest}&after=${sixth}`;
    expect(await ids(list, `limit=9&${between}`)).toEqual([second, third, fourth, fifth]);
    expect(await ids(list, `limit=2&${between}`)).toEqual([second, third]);
    expect(await ids(list, `limit=9&before=${sixth}&after=${newest}`)).toEqual([]);
  });
});

test('a member or an app that exists before others is listed below them, even if it is added last', async () => {
  const owner = await newApp(sandbox);
  const create = async () => (await owner.post('/merchants', smallestMerchant)).body.merchant.id;
  const [first, second] = [await create(), await create()];
  const invite = (merchant: string, email: string) =>
    owner.post(`/merchants/${merchant}/users`, { email });
  await invite(first, 'early@example.com');
  await invite(second, 'late@example.com');
  await invite(second, 'early@example.com');
  const members = (await owner.get(`/merchants/${second}/users?limit=9`)).body;
  const emails = members.map(({ email }: AnyRecord) => email);
  expect(emails).toEqual(['late@example.com', 'early@example.com']);

  const [early, late] = [await newApp(sandbox), await newApp(sandbox)];
  for (const { id } of [late, early]) await owner.post(`/merchants/${second}/apps`, { appId: id });
  const apps = (await owner.get(`/merchants/${second}/apps?limit=9`)).body;
  expect(apps.map(({ id }: AnyRecord) => id)).toEqual([late.id, early.id, owner.id]);
});

test('a list can have a cursor and a filter', async () => {
  const all = await records('transactions', 'limit=1000');
  const { id } = all[3];
  const successful = all.filter((each) => each.successful && each.id < id);
  expect(successful.length).toBeLessThan(all.length - 4); // the filter leaves something out
  const query = `limit=1000&filter[successful]=yes&before=${id}`;
  expect(await records('transactions', query)).toEqual(successful);
});
