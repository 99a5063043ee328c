import type { OutgoingHttpHeaders } from 'node:http';

/** A kind of request that nobody sends with good intentions, and its only right answer. */
export interface Hostile {
  readonly name: string;
  readonly count: number;
  /** The body of the request with this number; a GET if it is left out. */
  readonly body?: (index: number) => string;
  readonly path?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly status: number;
  /** The code of the error; there is none if it is left out. */
  readonly code?: string;
}

const MB = 1_000_000;
/** Almost the largest body that is read. */
const READ = 250_000;

const repeat = (count: number, part: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => part(at)).join(' ');
const query = (text: string) => JSON.stringify({ query: text });
const aliases = (count: number, field: string) => repeat(count, (at) => `a${at}: ${field}`);
const withCustom = (custom: string) =>
  `{"query":"query ($c: JSON) { __typename }","variables":{"c":${custom}}}`;
const brackets = (count: number) =>
  `{"query":"{ __typename }","variables":{"v":${'['.repeat(count)}`;
const refund =
  'refundTransaction(input: { transactionId: "t", amount: { minorUnits: 1, currency: "EUR" }, idempotencyKey: "k" }) { __typename }';
const schema = '__schema { types { name description fields { name description } } }';
const doubling = repeat(22, (at) => `fragment F${at} on Query { ...F${at + 1} ...F${at + 1} }`);

const tooLarge = { status: 413, code: 'BODY_TOO_LARGE' };
const tooLong = { status: 200, code: 'TOKEN_LIMIT' };
const bad = { status: 400, code: 'BAD_REQUEST' };
const executed = { status: 200 };

/** What has ended or held other servers. Each comes in the size it had there, and in one that is read. */
export const hostileRequests: readonly Hostile[] = [
  {
    name: 'comments of 10 MB',
    count: 60,
    body: (at) => query(`{ __typename } # ${at} ${'x'.repeat(10 * MB)}`),
    ...tooLarge,
  },
  {
    name: 'comments of 250 kB',
    count: 200,
    body: (at) => query(`{ __typename } # ${at} ${'x'.repeat(READ)}`),
    ...executed,
  },
  {
    name: 'texts of 250 kB',
    count: 100,
    body: (at) => query(`{ __type(name: "${at}${'x'.repeat(READ)}") { name } }`),
    ...executed,
  },
  {
    name: 'the schema 1,000 times',
    count: 5,
    body: () => query(`{ ${aliases(1_000, schema)} }`),
    ...tooLong,
  },
  {
    name: 'the schema 20 times',
    count: 20,
    body: () => query(`{ ${aliases(20, schema)} }`),
    status: 200,
    code: 'COMPLEXITY_LIMIT',
  },
  { name: '10 MB of open brackets', count: 20, body: () => brackets(10 * MB), ...tooLarge },
  { name: '250 kB of open brackets', count: 20, body: () => brackets(READ), ...bad },
  { name: 'a million tokens', count: 20, body: () => query(`{ ${'a '.repeat(MB)} }`), ...tooLarge },
  {
    name: '125,000 tokens',
    count: 20,
    body: () => query(`{ ${'a '.repeat(READ / 2)} }`),
    ...tooLong,
  },
  {
    name: '900 different tokens',
    count: 500,
    body: (at) => query(`{ ${repeat(890, (each) => `f${at}_${each}`)} }`),
    status: 200,
    code: 'ROOT_FIELD_LIMIT',
  },
  {
    name: '1,000 refunds',
    count: 5,
    body: () => query(`mutation { ${aliases(1_000, refund)} }`),
    ...tooLong,
  },
  {
    name: '1,500 new apps without a key',
    count: 5,
    body: () => query(`mutation { ${aliases(1_500, 'createApp(input: {}) { __typename }')} }`),
    ...tooLong,
  },
  {
    name: 'ids with a wrong key',
    count: 1_000,
    headers: { authorization: 'Bearer wrong' },
    body: (at) => query(`{ transaction(id: "t${at}") { rawId } }`),
    status: 200,
    code: 'UNAUTHENTICATED',
  },
  {
    name: '3,000 aliases',
    count: 10,
    body: () => query(`{ ${aliases(3_000, '__typename')} }`),
    ...tooLong,
  },
  {
    name: 'a Host that is no name',
    count: 20,
    headers: { host: 'a b/%' },
    body: () => query('{ __typename }'),
    ...bad,
  },
  {
    name: '500 nested levels',
    count: 20,
    body: () => query(`${'{a'.repeat(500)}${'}'.repeat(500)}`),
    ...tooLong,
  },
  {
    name: '300 nested levels',
    count: 20,
    body: () => query(`${'{a'.repeat(300)}${'}'.repeat(300)}`),
    status: 200,
    code: 'DEPTH_LIMIT',
  },
  {
    name: '5,000 nested lists',
    count: 20,
    body: () => query(`{ nodes(ids: ${'['.repeat(5_000)}${']'.repeat(5_000)}) { id } }`),
    ...tooLong,
  },
  {
    name: 'fragments that double 22 times',
    count: 20,
    body: () => query(`{ ...F0 } ${doubling} fragment F22 on Query { __typename }`),
    status: 200,
    code: 'ROOT_FIELD_LIMIT',
  },
  {
    name: 'a GET with variables',
    count: 20,
    path: '/graphql?query={__typename}&variables={',
    status: 405,
    code: 'METHOD_NOT_ALLOWED',
  },
  {
    name: '`custom` with 3,000 levels',
    count: 20,
    body: () => withCustom('['.repeat(3_000) + ']'.repeat(3_000)),
    ...bad,
  },
  {
    name: '`custom` of 20 MB',
    count: 20,
    body: () => withCustom(`[${'1,'.repeat(10 * MB)}1]`),
    ...tooLarge,
  },
  {
    name: '`custom` of 250 kB',
    count: 20,
    body: () => withCustom(`[${'1,'.repeat(READ / 2 - 200)}1]`),
    status: 200,
    code: 'GRAPHQL_VALIDATION_FAILED',
  },
  {
    name: 'numbers with 250,000 digits',
    count: 20,
    body: () => withCustom(`1.${'0'.repeat(READ)}1`),
    status: 400,
    code: 'BAD_USER_INPUT',
  },
  { name: 'bad JSON of 168 kB', count: 20, body: () => `{"query":"${'x'.repeat(168_000)}`, ...bad },
];
