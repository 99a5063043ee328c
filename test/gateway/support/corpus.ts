import { readExampleOperations } from '../../../src/gateway/http/pages/graphiql/graphiql.ts';
import { readExamples, readMarkdownFiles } from '../../docs/documents.ts';

/** A request as it is sent, with everything that differs from usual requests. */
export interface CorpusRequest {
  readonly body: string | Buffer;
  readonly headers: Readonly<Record<string, string | string[]>>;
}

/** Ids of demo records, by their types. */
export interface CorpusIds {
  readonly merchant: string;
  readonly transaction: string;
  readonly line: string;
  readonly user: string;
  readonly dispute: string;
  readonly fraudAlert: string;
}

const JSON_TYPE = 'application/json';
const GRAPHQL_TYPE = 'application/graphql-response+json';

/**
 * Values of `Accept` that clients send, and others, each with the media type that section 12.5.1
 * of RFC 9110 chooses. Undefined if the client accepts none. A list is sent as several headers.
 */
export const accepts: readonly (readonly [accept: string | string[], type: string | undefined])[] =
  [
    ['*/*', JSON_TYPE],
    [JSON_TYPE, JSON_TYPE],
    [GRAPHQL_TYPE, GRAPHQL_TYPE],
    // What clients send.
    ['application/graphql-response+json,application/json;q=0.9', GRAPHQL_TYPE],
    ['application/graphql-response+json, application/json', GRAPHQL_TYPE],
    [
      'application/graphql-response+json, application/graphql+json, application/json, text/event-stream, multipart/mixed',
      GRAPHQL_TYPE,
    ],
    [
      'multipart/mixed;deferSpec=20220824,application/graphql-response+json,application/json;q=0.9',
      GRAPHQL_TYPE,
    ],
    ['multipart/mixed; deferSpec=20220824, application/json', JSON_TYPE],
    ['multipart/mixed;incrementalSpec=v0.2,application/json', JSON_TYPE],
    ['application/json, text/plain, */*', JSON_TYPE],
    ['text/event-stream, application/json', JSON_TYPE],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', JSON_TYPE],
    // White space and case.
    ['application/graphql-response+json,application/json', GRAPHQL_TYPE],
    ['application/graphql-response+json ,  application/json ; q=0.9', GRAPHQL_TYPE],
    ['application/graphql-response+json\t;\tq=0.5,\tapplication/json\t;\tq=0.9', JSON_TYPE],
    ['APPLICATION/JSON', JSON_TYPE],
    ['Application/GraphQL-Response+JSON', GRAPHQL_TYPE],
    ['application/json;Q=0.1, application/graphql-response+json;Q=0.2', GRAPHQL_TYPE],
    [',application/graphql-response+json,,', GRAPHQL_TYPE],
    // Weights.
    ['application/json, application/graphql-response+json', JSON_TYPE],
    ['application/json;q=0.9, application/graphql-response+json', GRAPHQL_TYPE],
    ['application/json;q=0.9,application/graphql-response+json;q=1.0', GRAPHQL_TYPE],
    ['application/graphql-response+json;q=0.1,application/json;q=0.101', JSON_TYPE],
    ['application/graphql-response+json;q=0, application/json', JSON_TYPE],
    ['application/json;q=0, application/graphql-response+json;q=0.001', GRAPHQL_TYPE],
    ['application/graphql-response+json;q=x, application/json;q=0.1', JSON_TYPE],
    ['multipart/mixed, application/graphql-response+json;q=0.5, application/json;q=0.8', JSON_TYPE],
    ['application/json;q=0', undefined],
    ['*/*;q=0', undefined],
    ['text/event-stream, application/json;q=0.0', 'text/event-stream'],
    // Groups: what names a type has precedence.
    ['application/*', JSON_TYPE],
    ['*/*;q=0.1', JSON_TYPE],
    ['application/graphql-response+json, */*', GRAPHQL_TYPE],
    ['*/*, application/graphql-response+json', GRAPHQL_TYPE],
    ['application/graphql-response+json;q=0.5, */*', JSON_TYPE],
    ['application/graphql-response+json, */*;q=0.1', GRAPHQL_TYPE],
    ['application/json;q=0.2, application/*;q=0.5', GRAPHQL_TYPE],
    ['application/json;q=0, */*', GRAPHQL_TYPE],
    ['application/*;q=0, */*', 'text/event-stream'],
    // Parameters.
    ['application/json;charset=utf-8', JSON_TYPE],
    ['application/graphql-response+json; charset=utf-8', GRAPHQL_TYPE],
    [
      'application/graphql-response+json;charset="UTF-8";q=0.9, application/json;q=0.8',
      GRAPHQL_TYPE,
    ],
    ['application/json;charset=utf-8, application/graphql-response+json;charset=utf-8', JSON_TYPE],
    ['application/graphql-response+json, application/json;charset=utf-8', GRAPHQL_TYPE],
    ['application/graphql-response+json;charset=latin1, application/json;q=0.1', JSON_TYPE],
    ['application/json;indent=2', JSON_TYPE],
    ['application/json;note="a, application/graphql-response+json"', JSON_TYPE],
    ['application/json; charset=latin1', undefined],
    // Several headers.
    [['application/graphql-response+json;q=0.4', 'application/json;q=0.3'], GRAPHQL_TYPE],
    [['text/html', 'application/json;q=0.1'], JSON_TYPE],
    // None, or none that the gateway has.
    ['', JSON_TYPE],
    [' ', JSON_TYPE],
    ['text/html', undefined],
    ['text/event-stream', 'text/event-stream'],
    ['multipart/mixed', undefined],
    ['x', undefined],
    ['application/jsonp, json', undefined],
    [`${','.repeat(100)}application/json`, undefined],
    [`${'text/x, '.repeat(9)}application/graphql-response+json;q=0.1`, GRAPHQL_TYPE],
  ];

const json = (value: object) => JSON.stringify(value);

type Query = readonly [query: string, variables?: object, name?: string];

/** Queries whose answers do not depend on when they are sent. */
function queries(ids: CorpusIds): Query[] {
  return [
    ...recordQueries(ids),
    ...variableQueries(ids),
    ...operationQueries(),
    ...rejectedMutations(ids),
    ...oddDocuments(),
  ];
}

function recordQueries({
  merchant,
  transaction,
  line,
  user,
  dispute,
  fraudAlert,
}: CorpusIds): Query[] {
  const money = '{ minorUnits currency decimal }';
  return [
    ['{ __typename }'],
    ['{ viewer { id rawId name } }'],
    ['{ currencies { code } }'],
    [
      `{ merchant(id: "${merchant}") { id name transactions(first: 20) { edges { cursor node { id createdAt amount ${money} card { last4 scheme } } } pageInfo { hasNextPage } } } }`,
    ],
    [
      `{ merchant(id: "${merchant}") { members { edges { node { id } } } apps { edges { node { name } } } lines(first: 5) { edges { node { balance ${money} } } } disputes { edges { node { id } } } fraudAlerts { edges { node { id } } } } }`,
    ],
    [
      `{ transaction(id: "${transaction}") { __typename id createdAt amount ${money} merchant { name } trail { __typename createdAt amount ${money} } availableActions { action maximum ${money} } } }`,
    ],
    [
      `{ line(id: "${line}") { id description } dispute(id: "${dispute}") { id reasonCode } fraudAlert(id: "${fraudAlert}") { id reason } user(id: "${user}") { id name email } }`,
    ],
    [
      `{ nodes(ids: ["${merchant}", "x", "${transaction}", "mer_0000", "${user}"]) { __typename id ... on Merchant { name } ... on Transaction { currency: amount { currency } } } }`,
    ],
    [
      `{ node(id: "${merchant}") { id ... on Merchant { name } } missing: node(id: "txn_0123456789abcdef01234567") { id } bad: node(id: "nothing") { id } }`,
    ],
    ['{ users(first: 3) { edges { node { id name } } pageInfo { endCursor hasNextPage } } }'],
    [
      '{ transaction(id: "0123456789abcdef01234567") { id } merchant(id: "0123456789abcdef01234567") { id } }',
    ],
    [
      `{ a: merchant(id: "${merchant}") { transactions(first: 500) { edges { cursor } } } b: merchants(first: -1) { edges { cursor } } c: viewer { name } }`,
    ],
    [`{ merchant(id: "../me") { id } viewer { __proto__: name constructor: rawId } }`],
    [`{ nodes(ids: [${Array(101).fill('"x"').join(' ')}]) { id } }`],
    [`{ moneyOperation(merchantId: "${merchant}", idempotencyKey: "none") { status } }`],
    ['{ __schema { queryType { name } types { name kind fields { name args { name } } } } }'],
    [
      '{ __type(name: "Merchant") { fields { name description type { kind name ofType { name } } } } }',
    ],
  ];
}

function variableQueries({ transaction }: CorpusIds): Query[] {
  const byId = 'query ($id: ID!) { transaction(id: $id) { id amount { minorUnits } } }';
  const paged =
    'query ($n: Int, $after: String) { merchants(first: $n, after: $after) { edges { cursor node { name } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }';
  const conditional =
    'query ($a: Boolean!) { viewer { name @include(if: $a) rawId @skip(if: $a) } again: viewer { ...F @include(if: $a) ...F } } fragment F on App { id }';
  return [
    [byId, { id: transaction }],
    [byId, { id: 12 }],
    [byId, { id: null }],
    [byId, { id: ['x'] }],
    [byId, { id: transaction, unused: 1 }],
    [byId, {}],
    [byId],
    [paged, { n: 2 }],
    [paged, { n: 'two' }],
    [paged, { n: 1.5 }],
    [paged, { n: 1e3 }],
    [paged, { n: null, after: null }],
    [paged, { after: 'nonsense' }],
    [conditional, { a: true }],
    [conditional, { a: false }],
    [conditional, { a: 'x' }],
    ['query ($n: Int = 2) { merchants(first: $n) { edges { cursor } } }'],
    ['query ($n: Int = 2) { merchants(first: $n) { edges { cursor } } }', { n: 1 }],
  ];
}

function operationQueries(): Query[] {
  const two = 'query A { viewer { name } } query B { merchants(first: 1) { edges { cursor } } }';
  return [
    [two],
    [two, {}, 'A'],
    [two, {}, 'B'],
    [two, {}, 'C'],
    [two, {}, ''],
    [two, {}, '__proto__'],
    ['query Named { viewer { name } }', {}, 'Named'],
    ['query Named { viewer { name } }', {}, 'Other'],
    ['fragment F on App { name }'],
    [''],
    ['{'],
    ['{ nothing }'],
    ['{ viewer { nothing name } merchants }'],
    ['{ viewer }'],
    ['query ($v: Nothing) { viewer { name } }'],
    ['{ viewer { ...F } } fragment F on App { ...G } fragment G on App { ...F }'],
    ['{ viewer { name @nothing } }'],
    ['subscription { viewer { name } }'],
    ['subscription S { __typename }'],
  ];
}

function rejectedMutations({ merchant, transaction }: CorpusIds): Query[] {
  return [
    ['mutation { nothing }'],
    ['mutation { __typename }'],
    [
      'mutation { updateMerchant(input: { merchantId: "x" }) { __typename ... on MutationError { code message } } }',
    ],
    [
      `mutation { updateMerchant(input: { merchantId: "${merchant}" }) { __typename ... on MutationError { code message } } }`,
    ],
    [
      'mutation { deleteUser(input: { userId: "nobody" }) { __typename ... on MutationError { code message } } }',
    ],
    [
      `mutation ($k: String!) { captureTransaction(input: { transactionId: "${transaction}", amount: { minorUnits: 1, currency: "XXX" }, idempotencyKey: $k }) { __typename ... on MutationError { code message } } }`,
      { k: 'corpus' },
    ],
  ];
}

function oddDocuments(): Query[] {
  return [
    ['{ viewer { name } '.repeat(30)],
    [`{ ${Array.from({ length: 31 }, (_, at) => `a${at}: viewer { name }`).join(' ')} }`],
    [`{ ${Array.from({ length: 21 }, (_, at) => `a${at}: currencies { code }`).join(' ')} }`],
    [
      '{ merchants(first: 100) { edges { node { transactions(first: 100) { edges { node { trail { createdAt } } } } } } } }',
    ],
    [`{ viewer { name ${'@include(if: true) '.repeat(9)} } }`],
    [`{ ${'viewer { name } '.repeat(400)} }`],
    [
      '{ merchants { edges { node { transactions { edges { node { merchant { transactions { edges { node { merchant { transactions { edges { node { merchant { name } } } } } } } } } } } } } } } }',
    ],
    ['{ viewer { name } } # \u2028 𝒳 ü'],
    ['\uFEFF{ viewer { name } }'],
    ['{ merchant(id: "𝒳\\u0041") { id } }'],
    ['{ merchant(id: "\\u0000") { id } }'],
  ];
}

/** Bodies that are not what clients send. */
function oddBodies(): (string | Buffer)[] {
  const query = '{ viewer { name } }';
  return [
    '',
    '{',
    'null',
    '[]',
    '"x"',
    `[${json({ query })}]`,
    json({}),
    json({ query: 1 }),
    json({ query: null }),
    json({ query, variables: [] }),
    json({ query, variables: 'x' }),
    json({ query, variables: null, operationName: null, extensions: null }),
    json({ query, operationName: 1 }),
    json({ query, extensions: { persistedQuery: { version: 1, sha256Hash: 'x' } } }),
    json({ extensions: { persistedQuery: { version: 1, sha256Hash: 'x' } } }),
    json({ extensions: { persistedQuery: { version: 1 } } }),
    json({ query: null, extensions: { persistedQuery: null } }),
    `[${json({ query })},${json({ query })}]`,
    json({ query: '{ viewer { id ... @defer { name } } }' }),
    json({ query, extensions: [] }),
    json({ query, other: 1 }),
    `{"query":"{ __typename }","query":${json({ query }).slice(9)}`,
    ` \n${json({ query })}\t`,
    `\uFEFF${json({ query })}`,
    `\uFEFF\uFEFF${json({ query })}`,
    `{"query":"query ($id: ID!) { node(id: $id) { id } }","variables":{"id":9007199254740993}}`,
    `{"query":"query ($id: ID!) { node(id: $id) { id } }","variables":{"id":"a\\u0000"}}`,
    `{"query":"query ($id: ID!) { node(id: $id) { id } }","variables":{"__proto__":{"id":"x"}}}`,
    `{"query":"query ($id: ID!) { node(id: $id) { id } }","variables":{"id":"\\ud800"}}`,
    Buffer.from([0x7b, 0xff, 0x7d]),
    Buffer.from(json({ query }), 'utf16le'),
    `{"query":"{ __typename }","variables":${'['.repeat(200)}${']'.repeat(200)}}`,
  ];
}

/** Headers other than those of usual requests. */
function oddHeaders(key: string): Readonly<Record<string, string>>[] {
  return [
    { authorization: '' },
    { authorization: 'Bearer wrong-key' },
    { authorization: `bearer   ${key}` },
    { authorization: `Basic ${btoa(`:${key}`)}` },
    { authorization: `Basic ${btoa(`me:${key}`)}` },
    { authorization: 'Digest x' },
    { 'x-request-id': 'request-1' },
    { 'x-request-id': 'not an id' },
    { origin: 'https://shop.example' },
    { origin: 'https://evil.example' },
    { 'content-type': 'application/json; charset=utf-8' },
    { 'content-type': 'application/json; charset=latin1' },
    { 'content-type': 'text/plain' },
    { 'content-encoding': 'gzip' },
    { 'if-none-match': '"x"' },
    { connection: 'close' },
  ];
}

/** The requests that both ways in must answer equally. */
export function createCorpus(ids: CorpusIds, key: string): CorpusRequest[] {
  const usual = { 'content-type': 'application/json', authorization: `Bearer ${key}` };
  const bodyOf = ([query, variables, operationName]: Query) =>
    json({
      query,
      ...(variables && { variables }),
      ...(operationName !== undefined && { operationName }),
    });
  const bodies = queries(ids).map(bodyOf);
  const kinds = [
    '{ viewer { name } }',
    '{ nothing }',
    '{',
    '{ node(id: "x") { id } }',
    'query A { __typename } query B { __typename }',
    'query ($id: ID!) { node(id: $id) { id } }',
    `{ nodes(ids: [${Array(101).fill('"x"').join(' ')}]) { id } }`,
  ].map((query) => json({ query }));
  const read = [
    ...readExampleOperations().map(({ query, variables }) =>
      json({ query, variables: JSON.parse(variables) }),
    ),
    ...readMarkdownFiles().flatMap(({ text }) =>
      readExamples(text).map(({ query }) => json({ query })),
    ),
  ].filter((body) => !body.includes('mutation'));
  return [
    ...[...bodies, ...oddBodies(), ...read].flatMap((body) => [
      { body, headers: usual },
      { body, headers: { ...usual, accept: 'application/graphql-response+json' } },
    ]),
    // Each of them with one kind of request.
    ...accepts.map(([accept], at) => ({
      body: kinds[at % kinds.length] ?? '',
      headers: { ...usual, accept },
    })),
    ...oddHeaders(key).flatMap((headers) =>
      kinds.slice(0, 2).map((body) => ({ body, headers: { ...usual, ...headers } })),
    ),
  ];
}
