import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { listInMemory } from '../../src/gateway/domain/user/user.ts';
import {
  MAX_PAGE_SIZE,
  type PagingArguments,
  paginate,
  toCursor,
} from '../../src/gateway/schema/paging.ts';
import type { ListRequest } from '../../src/gateway/upstream/list.ts';
import { type RelayArguments, relayArguments, relayPage } from '../support/relay-oracle.ts';

interface Item {
  readonly id: string;
}

/** Items newest first, as the service lists them. A larger number is newer. */
function items(count: number): Item[] {
  return Array.from({ length: count }, (_, index) => ({ id: `id-${count - index}` }));
}

/** Answers list requests as the service does. Specification: payments, "Pagination". */
function service(list: readonly Item[], requests: ListRequest[] = []) {
  return async (request: ListRequest) => {
    requests.push(request);
    const { limit, before, after } = request;
    if (after !== undefined) {
      const newer = list.slice(
        0,
        list.findIndex(({ id }) => id === after),
      );
      return newer.reverse().slice(0, limit);
    }
    const start = before === undefined ? 0 : list.findIndex(({ id }) => id === before) + 1;
    return list.slice(start, start + limit);
  };
}

function toArguments(args: RelayArguments): PagingArguments {
  const cursor = (id: string | undefined) => (id === undefined ? undefined : toCursor('txn', id));
  return { ...args, after: cursor(args.after), before: cursor(args.before) };
}

async function ask(list: readonly Item[], args: RelayArguments, requests: ListRequest[] = []) {
  const fetch = service(list, requests);
  return paginate(toArguments(args), { kind: 'txn', fetch, wantsFlags: true });
}

function summary({ edges, pageInfo }: Awaited<ReturnType<typeof ask>>) {
  const { hasNextPage, hasPreviousPage } = pageInfo;
  return { ids: edges.map(({ node }) => node.id), hasNextPage, hasPreviousPage };
}

describe('a page of a list that is newest first', () => {
  test('equals that of Relay’s algorithm for every combination of arguments over 0 to 7 items', async () => {
    let cases = 0;
    const differences: unknown[] = [];
    for (let count = 0; count <= 7; count++) {
      const list = items(count);
      const ids = list.map(({ id }) => id);
      for (const args of relayArguments(ids)) {
        cases++;
        const requests: ListRequest[] = [];
        const found = summary(await ask(list, args, requests));
        const wanted = relayPage(ids, args);
        if (JSON.stringify(found) !== JSON.stringify(pick(wanted)) || requests.length !== 1) {
          differences.push({ count, args, found, wanted, requests });
        }
      }
    }
    console.log(`paging oracle: ${cases} cases, ${differences.length} differences`);
    expect(differences).toEqual([]);
    expect(cases).toBeGreaterThan(2_000);
  });

  test('has the cursors of its first and last edge, and none if it is empty', async () => {
    const list = items(5);
    const { edges, pageInfo } = await ask(list, { first: 2, after: 'id-4' });
    expect(pageInfo).toMatchObject({
      startCursor: edges[0]?.cursor,
      endCursor: edges[1]?.cursor,
    });
    const empty = await ask(list, { first: 2, after: 'id-1' });
    expect(empty.pageInfo).toMatchObject({ startCursor: null, endCursor: null });
  });

  test('has 20 items by default, with only `before` the 20 next newer ones', async () => {
    const list = items(50);
    expect(summary(await ask(list, {}))).toMatchObject({
      ids: list.slice(0, 20).map(({ id }) => id),
      hasNextPage: true,
    });
    expect(summary(await ask(list, { before: 'id-10' }))).toMatchObject({
      ids: list.slice(20, 40).map(({ id }) => id),
      hasPreviousPage: true,
    });
  });

  test('needs one item more only if a flag is selected, and no call for `first: 0` without a flag', async () => {
    const list = items(9);
    const limits = async (args: PagingArguments, wantsFlags: boolean) => {
      const requests: ListRequest[] = [];
      await paginate(args, { kind: 'txn', fetch: service(list, requests), wantsFlags });
      return requests.map(({ limit }) => limit);
    };
    expect(await limits({ first: 4 }, true)).toEqual([5]);
    expect(await limits({ first: 4 }, false)).toEqual([4]);
    expect(await limits({ first: 0 }, true)).toEqual([1]);
    expect(await limits({ first: 0 }, false)).toEqual([]);
  });
});

describe('a page with the arguments', () => {
  test.each([
    [{ first: -1 }, '`first` must be between 0 and 100; it was -1.'],
    [{ first: MAX_PAGE_SIZE + 1 }, '`first` must be between 0 and 100; it was 101.'],
    [
      { last: 101, before: toCursor('txn', 'id-1') },
      '`last` must be between 0 and 100; it was 101.',
    ],
    [{ first: 1, last: 1 }, 'Use `first` or `last`, not both.'],
    [{ last: 1 }, '`last` requires `before`: use `first` for the beginning of the list.'],
    [
      { after: 'not-a-cursor' },
      '`after` is not a cursor. Use a cursor from `pageInfo` or `edges`.',
    ],
    [{ before: toCursor('lin', 'id-1') }, '`before` is a cursor of another list.'],
    [{ after: `${toCursor('txn', 'id-1')}=` }, '`after` is not a cursor'],
    [{ after: Buffer.from('1:txn:../me').toString('base64url') }, '`after` is not a cursor'],
  ])('%j is invalid input and causes no call', async (args, message) => {
    const requests: ListRequest[] = [];
    const answer = paginate(args, {
      kind: 'txn',
      fetch: service(items(3), requests),
      wantsFlags: true,
    });
    await expect(answer).rejects.toThrow(message);
    expect(requests).toEqual([]);
  });

  test('after: "" starts at the beginning', async () => {
    const fetch = service(items(3));
    const found = await paginate({ first: 1, after: '' }, { kind: 'txn', fetch, wantsFlags: true });
    expect(found.edges[0]?.node.id).toBe('id-3');
  });
});

describe('the list request of a page', () => {
  const one = toCursor('txn', 'id-1');
  const two = toCursor('txn', 'id-2');

  test.each([
    [{}, { limit: 21 }],
    [{ first: null, last: null, after: null, before: null }, { limit: 21 }],
    [{ first: 0 }, { limit: 1 }],
    [{ first: 100 }, { limit: 101 }],
    [{ first: 5, last: null }, { limit: 6 }],
    [
      { first: 5, after: two },
      { limit: 6, before: 'id-2' },
    ],
    [{ first: 5, before: two }, { limit: 6 }],
    [
      { first: 5, after: two, before: one },
      { limit: 6, before: 'id-2' },
    ],
    [{ before: two }, { limit: 21, after: 'id-2' }],
    [
      { last: 0, before: two },
      { limit: 1, after: 'id-2' },
    ],
    [
      { last: 100, before: two },
      { limit: 101, after: 'id-2' },
    ],
    [
      { first: null, last: 5, before: two },
      { limit: 6, after: 'id-2' },
    ],
    [
      { last: 5, after: two, before: one },
      { limit: 6, after: 'id-1' },
    ],
  ])('with %j is %j', async (args, request) => {
    const requests: ListRequest[] = [];
    await paginate(args, { kind: 'txn', fetch: service(items(9), requests), wantsFlags: true });
    expect(requests).toStrictEqual([request]);
  });

  test('with only `last` asks a list in memory for its end', async () => {
    const requests: ListRequest[] = [];
    const fetch = async (request: ListRequest) => {
      requests.push(request);
      return [];
    };
    await paginate(
      { last: 2, after: one },
      { kind: 'txn', fetch, inMemory: true, wantsFlags: true },
    );
    expect(requests).toStrictEqual([{ limit: 3, fromEnd: true }]);
  });
});

test.each([{ first: 0 }, { first: 0, before: toCursor('txn', 'id-2') }])(
  'the page with %j is empty, also if no flag is selected',
  async (args) => {
    const fetch = service(items(3));
    const { edges, pageInfo } = await paginate(args, { kind: 'txn', fetch, wantsFlags: false });
    expect(edges).toEqual([]);
    const { startCursor, endCursor, hasNextPage, hasPreviousPage } = pageInfo;
    expect([startCursor, endCursor, hasNextPage, hasPreviousPage]).toEqual([
      null,
      null,
      false,
      false,
    ]);
  },
);

test.each([
  [1, 'id-3', 'id-3'],
  [2, 'id-3', 'id-2'],
  [3, 'id-3', 'id-1'],
])('a page of %i items starts at %s and ends at %s', async (first, start, end) => {
  const { pageInfo } = await ask(items(3), { first });
  expect(pageInfo).toMatchObject({
    startCursor: toCursor('txn', start),
    endCursor: toCursor('txn', end),
  });
});

test.each([
  [{ first: -1 }, 'first'],
  [{ last: -1, before: toCursor('txn', 'id-1') }, 'last'],
  [{ first: 1, last: 1 }, 'last'],
  [{ last: 1 }, 'last'],
  [{ after: '?' }, 'after'],
  [{ before: '?' }, 'before'],
])('the error of %j names the argument `%s`', async (args, argument) => {
  const answer = paginate(args, { kind: 'txn', fetch: service(items(3)), wantsFlags: true });
  await expect(answer).rejects.toMatchObject({ extensions: { code: 'BAD_USER_INPUT', argument } });
});

describe('a page of a list in memory', () => {
  test('equals that of Relay’s algorithm, even with only `last`', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 30 }),
        fc.integer({ min: 0, max: 32 }),
        async (count, last) => {
          const list = items(count);
          const found = await paginate(
            { last },
            {
              kind: 'usr',
              inMemory: true,
              wantsFlags: true,
              fetch: async (request) => listInMemory(list, request),
            },
          );
          const ids = list.map(({ id }) => id);
          expect(summary(found)).toEqual(pick(relayPage(ids, { last })));
        },
      ),
    );
  });

  test('equals that of Relay’s algorithm, with `last` after any item', async () => {
    const list = items(7);
    const ids = list.map(({ id }) => id);
    for (const after of ids) {
      for (let last = 0; last <= 8; last++) {
        const found = await paginate(toArguments({ last, after }), {
          kind: 'txn',
          inMemory: true,
          wantsFlags: true,
          fetch: async (request) => listInMemory(list, request),
        });
        expect(summary(found)).toEqual(pick(relayPage(ids, { last, after })));
      }
    }
  });

  test('equals that of a list of a service', async () => {
    for (const count of [0, 1, 5]) {
      const list = items(count);
      for (const args of relayArguments(list.map(({ id }) => id))) {
        const fetch = async (request: ListRequest) => listInMemory(list, request);
        const found = await paginate(toArguments(args), { kind: 'txn', fetch, wantsFlags: true });
        expect(found).toEqual(await ask(list, args));
      }
    }
  });

  test('is invalid input with the cursor of a deleted record, and does not start again', async () => {
    const args = { first: 2, after: toCursor('usr', 'gone') };
    const fetch = async (request: ListRequest) => listInMemory(items(3), request);
    await expect(paginate(args, { kind: 'usr', fetch, wantsFlags: false })).rejects.toThrow(
      '`after` is the cursor of a record that is no longer in the list',
    );
  });
});

/** In the order of keys in which answers are compared. */
function pick({ ids, hasNextPage, hasPreviousPage }: ReturnType<typeof relayPage>) {
  return { ids: [...ids], hasNextPage, hasPreviousPage };
}
