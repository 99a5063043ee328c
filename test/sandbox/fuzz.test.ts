import { connect } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { rest } from '../support/rest.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';
import { ledgerFaults } from './ledger.ts';
import { openShop, type Shop } from './shop.ts';

const REQUESTS = 1_000 * inject('scale');
/** Some statuses are rare: with these many requests, each has been seen. */
const MOST_REQUESTS = REQUESTS + 20_000;
const ROUND = 500;
const AT_ONCE = 20;
/** Far more than any request takes, on any machine. */
const WITHIN_MS = 30_000;
const FORM = 'application/x-www-form-urlencoded';

/** Values that requests contain in many places, and that no log or report may contain. */
const secrets = {
  wrongKey: 'wrong-key-7f3a91',
  email: 'never.logged@secret.example',
  card: '4111222233334444',
  testCard: '4100000000000000',
};

/** A request that is sent as bytes, so that it can violate every rule of HTTP. */
interface Hostile {
  readonly service: 'users' | 'payments' | 'pos';
  readonly method: string;
  readonly target: string;
  readonly raw: boolean;
  readonly headers: readonly string[];
  readonly body: Uint8Array | undefined;
  /** How the request declares the end of its body, correctly or not. */
  readonly framing:
    | 'length'
    | 'chunks'
    | 'too long a length'
    | 'too short a length'
    | 'invalid chunks';
}

const reported: string[] = [];
const bugs: unknown[] = [];
let sandbox: Sandbox;
let shop: Shop;
let hostile: fc.Arbitrary<Hostile>;

beforeAll(async () => {
  sandbox = await startTestSandbox({
    log: (entry) => reported.push(JSON.stringify(entry)),
    report: (message) => reported.push(message),
    onBug: (error) => bugs.push(error),
  });
  shop = await openShop(sandbox);
  hostile = hostileRequests(await knownValues());
});
afterAll(() => sandbox.close());

const idsOf = (records: { id: string }[]): string[] => records.map(({ id }) => id);

/**
 * Ids and keys that exist. The ids of the two apps that send requests are not among them, so that the
 * access of neither ever changes; the id of a third app is.
 */
async function knownValues() {
  const merchant = `/merchants/${shop.id}`;
  const users = rest(sandbox.usersUrl);
  const ids = await Promise.all(
    ['transactions', 'lines', 'users'].map(async (list) =>
      idsOf((await shop.payments.get(`${merchant}/${list}?limit=30`)).body),
    ),
  );
  const people = idsOf((await users.get('/users')).body);
  const newApp = async (): Promise<{ key: string; id: string }> =>
    (await rest(sandbox.paymentsUrl).post('/apps')).body.app;
  const { key: strangersKey } = await newApp();
  const { id: unusedApp } = await newApp();
  const { key: publicKey }: { key: string } = (await shop.payments.get(merchant)).body.merchant;
  return {
    strangersKey,
    ids: [shop.id, shop.source, unusedApp, ...ids.flat(), ...people],
    key: sandbox.demoApp.key,
    publicKey,
    operations: sandbox.operations,
  };
}

/** The unit `binary` of fast-check is the same, but creates a table of all characters. */
const anyCharacter = fc.nat(0x10_ff_ff).map((code) => String.fromCodePoint(code));

const oddText = fc.oneof(
  fc.constantFrom(
    '',
    '.',
    '..',
    '../../etc/passwd',
    '%',
    '%zz',
    '%00',
    '\0',
    '%2e%2e%2f',
    '%252e',
    '%C0%AF',
    '%ED%A0%80',
    '\ud800',
    '💶',
    'e\u0301'.repeat(40),
    '__proto__',
    'constructor',
    'hasOwnProperty',
    "' OR 1=1 --",
    '$1',
    'null',
    'NaN',
    '-1',
    '1e3',
    'x'.repeat(300),
    'x'.repeat(9_000),
    '<script>alert(1)</script>',
    ...Object.values(secrets),
  ),
  fc.string({ unit: anyCharacter, maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
);

const oddNumber = fc.oneof(
  fc.constantFrom('0', '-0', '-1', '1.5', '1e999', '-1e999', '1e21', '9007199254740993'),
  fc.constantFrom('1', '2', '100', '999999999999', '1000000000000', `1${'0'.repeat(5_000)}`),
  fc.integer().map(String),
);

const fieldNames = [
  'name',
  'email',
  'address',
  'currency',
  'website',
  'descriptor',
  'company',
  'country',
  'bank',
  'amount',
  'transactionId',
  'authorizationId',
  'cardId',
  'custom',
  'notes',
  'appId',
  'test',
  '__proto__',
  'constructor',
];

/** JSON as text, because an object cannot have repeated keys or numbers that are too large. */
const oddJson = fc.oneof(
  fc.letrec<{ value: string; object: string }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom('null', 'true', 'false', '[]', '"\\ud800"', '"\\u0000"', '"yes"'),
      oddNumber,
      oddText.map((text) => JSON.stringify(text)),
      fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join()}]`),
      tie('object'),
    ),
    object: fc
      .array(fc.tuple(fc.constantFrom(...fieldNames), tie('value')), { maxLength: 6 })
      .map((pairs) => `{${pairs.map(([key, value]) => `"${key}":${value}`).join()}}`),
  })).object,
  fc.constantFrom(
    '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
    `{"custom":${'['.repeat(30_000)}`,
    `{"custom":${'{"a":'.repeat(19)}1${'}'.repeat(19)}}`,
    `{"name":"${'\\"'.repeat(30_000)}`,
    '{"amount":1,"amount":2}',
    '{',
    'null',
    '"text"',
    '[1]',
    '\ufeff{}',
  ),
);

/** Bodies that an operation can accept, with secrets in them. */
function validJson({ ids }: Known): fc.Arbitrary<string> {
  const source = fc.constantFrom(...ids);
  return fc.oneof(
    fc
      .record({
        transactionId: fc.constantFrom(shop.source, ...ids),
        amount: fc.integer({ min: 1, max: 50 }),
        currency: fc.constantFrom('EUR', 'JPY', 'KWD', 'HRK'),
        custom: fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constant({ note: secrets.email })),
      })
      .map((body) => JSON.stringify(body)),
    fc.integer({ min: 1, max: 20 }).map((amount) => JSON.stringify({ amount })),
    fc
      .record({ name: oddText, address: oddText, appId: source, notes: oddText })
      .map((body) => JSON.stringify({ ...body, email: secrets.email })),
    fc.constant(
      JSON.stringify({
        currency: 'EUR',
        email: secrets.email,
        website: 'x',
        descriptor: 'X',
        company: { country: 'DE' },
        test: true,
      }),
    ),
  );
}

const cardForm = fc
  .record({
    'card[number]': fc.constantFrom(
      secrets.testCard,
      secrets.testCard,
      '4100 0000-0000 0120',
      secrets.card,
      '4',
    ),
    'card[expiry]': fc.constantFrom(
      '08/66',
      '08/66',
      '08/66',
      '08/20',
      '13/66',
      ' 1 / 2 ',
      '०८/६६',
      '',
    ),
    'card[code]': fc.constantFrom('123', '123', '123', '12', '１２３', ''),
    amount: fc.constantFrom('1', '2', '3', '1,5', '1.2345', '-1', '٣', `1${'0'.repeat(300)}`, ''),
  })
  .map((fields) => new URLSearchParams(fields).toString());

const oddForm = fc.oneof(
  fc
    .array(
      fc.tuple(
        fc.oneof(
          fc.constantFrom(
            'a[]',
            'a[b',
            'a]b[',
            '[a]',
            'a[][]',
            'a[b][c][d][e][f]',
            '__proto__[polluted]',
            'custom[__proto__][polluted]',
            'company[constructor][prototype][polluted]',
            'card[number][x]',
            'card',
            'custom[a]',
            'company[country]',
            'amount',
            'email',
          ),
          oddText,
        ),
        oddText,
      ),
      { maxLength: 8 },
    )
    .map((pairs) => pairs.map(([key, value]) => `${key}=${value}`).join('&')),
  fc.constantFrom('a=1&'.repeat(200), '%=%&%zz=%zz', '=&=', `a${'[b]'.repeat(10_000)}=1`),
);

function pair(names: readonly string[], value: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.tuple(fc.constantFrom(...names), value).map(([name, text]) => `${name}=${text}`);
}

function oddQuery(): fc.Arbitrary<string> {
  const list = fc.array(
    fc.oneof(
      pair(['limit'], fc.constantFrom('1', '10', '1000', '0', '1001', '1e2', '٣', '')),
      pair(['before', 'after'], fc.oneof(fc.constant('f'.repeat(24)), oddText)),
      pair(['filter[test]', 'filter[successful]'], fc.constantFrom('yes', '0', 'maybe')),
      pair(['filter[merchantId]'], fc.constantFrom(shop.id, 'f'.repeat(24), '')),
      pair(['filter[__proto__]', 'filter[]', 'filter[constructor]', 'filter', 'x'], oddText),
    ),
    { maxLength: 5 },
  );
  return fc.oneof(
    list.map((pairs) => pairs.join('&')),
    oddText,
  );
}

function oddLink(publicKey: string): fc.Arbitrary<string> {
  const link = fc.tuple(
    fc.constantFrom(
      ...Array<string>(6).fill(`key=${publicKey}`),
      'key=',
      `key=${secrets.wrongKey}`,
    ),
    fc.constantFrom('test=1', 'test=1', 'test=1', 'test=1', 'test=yes', 'test=maybe', ''),
    fc.constantFrom(
      '',
      '',
      'value=1',
      'redirect=https://shop.example/?a=b',
      'redirect=http://x.y/',
    ),
    fc.array(
      fc.oneof(
        pair(['currency'], fc.constantFrom('EUR', 'JPY', 'KWD', 'HRK', 'eur', '')),
        pair(['value', 'amount'], fc.oneof(fc.constantFrom('1', '1.5', '0', '1e3', '٣'), oddText)),
        pair(['text', 'reference', 'recurring', 'locale'], oddText),
        pair(['locale'], fc.constantFrom('da_DK', 'xx', 'en-u-nu-thai', 'de-', '_', 'sv_\0')),
        pair(
          ['redirect'],
          fc.constantFrom(
            'https://shop.example/?a=b#c',
            'https://user:word@shop.example',
            'javascript:alert(1)',
            'http://[::1',
            'https://shop.example/%0d%0aset-cookie:x',
            'http://é.example/💶',
          ),
        ),
      ),
      { maxLength: 2 },
    ),
  );
  return link.map(([key, mode, often, others]) => [key, mode, often, ...others].join('&'));
}

type Known = Awaited<ReturnType<typeof knownValues>>;

function hostileRequests(known: Known): fc.Arbitrary<Hostile> {
  const { publicKey } = known;
  const validPayment = {
    link: `key=${publicKey}&test=1&value=1&redirect=https://shop.example/%F0%9F%92%B6?a=b`,
    form: `card[number]=${secrets.testCard}&card[expiry]=08/66&card[code]=123`,
  };
  const payment = fc.oneof(
    fc.record({ link: oddLink(publicKey), form: cardForm }),
    fc.constant(validPayment),
  );
  return fc
    .record({
      target: anyTarget(known),
      raw: fc.integer({ min: 0, max: 7 }).map((dice) => dice === 7),
      query: fc.option(oddQuery(), { nil: undefined }),
      payment: fc.option(payment, { freq: 3 }),
      headers: anyHeaders(known),
      body: fc.option(anyBody(known), { nil: undefined }),
      framing: anyFraming,
    })
    .map(({ target, payment, headers, framing, raw, ...services }) => {
      // The payment page would reject almost every query and body that is made for the services.
      const own = target.service === 'pos' ? payment : null;
      const query = own?.link ?? services.query;
      const body = own === null ? services.body : ([FORM, Buffer.from(own.form)] as const);
      return {
        service: target.service,
        method: target.method,
        raw,
        target: query === undefined ? target.path : `${target.path}?${query}`,
        headers: [...headers, ...(body === undefined ? [] : [`content-type: ${body[0]}`])],
        body: body?.[1],
        framing,
      };
    });
}

/** The address of a request: mostly an existing route with known ids, or the payment page. */
function anyTarget({ ids, key, publicKey, operations }: Known) {
  const value = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...ids) },
    { weight: 1, arbitrary: fc.constantFrom(key, publicKey) },
    { weight: 2, arbitrary: oddText },
  );
  // The type of Object.keys does not name the keys.
  const routes = (Object.keys(operations) as Hostile['service'][]).flatMap((service) =>
    operations[service].map((name) => {
      const [method = '', path = ''] = name.split(' ');
      return { service, method, path };
    }),
  );
  const anyIds = fc
    .tuple(fc.constantFrom(...routes), fc.array(value, { minLength: 2, maxLength: 2 }))
    .map(([{ service, method, path }, values]) => {
      const unused = [...values];
      return { service, method, path: path.replace(/:\w+/g, () => unused.pop() ?? '') };
    });
  const ownIds = fc.constantFrom(...routes).map(({ service, method, path }) => ({
    service,
    method,
    path: path
      .replace('/merchants/:id', `/merchants/${shop.id}`)
      .replace('/transactions/:id', `/transactions/${shop.source}`),
  }));
  const paymentPage = fc
    .constantFrom('GET', 'POST', 'POST')
    .map((method) => ({ service: 'pos' as const, method, path: '/' }));
  const noRoute = fc.record({
    service: fc.constantFrom<Hostile['service']>('users', 'payments', 'pos'),
    method: fc.constantFrom(
      ...['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'BREW'],
    ),
    path: fc.array(oddText, { maxLength: 4 }).map((segments) => `/${segments.join('/')}`),
  });
  return fc.oneof(
    { weight: 5, arbitrary: anyIds },
    { weight: 5, arbitrary: ownIds },
    { weight: 6, arbitrary: paymentPage },
    { weight: 3, arbitrary: noRoute },
  );
}

/** A body with its content type. */
function anyBody(known: Known) {
  return fc.oneof(
    fc
      .oneof(oddJson, validJson(known), validJson(known))
      .map((text) => ['application/json', Buffer.from(text)] as const),
    oddForm.map((text) => [FORM, Buffer.from(text)] as const),
    fc
      .tuple(
        fc.constantFrom('text/plain', 'application/json', 'multipart/form-data; boundary=x', '*/*'),
        fc.oneof(fc.uint8Array({ maxLength: 60 }), fc.constant(Buffer.alloc(70_000, 'x'))),
      )
      .map(([type, bytes]) => [type, bytes] as const),
  );
}

/** Two header lines: mostly a valid key and nothing else. */
function anyHeaders({ key, strangersKey }: Known) {
  const basic = (text: string) => `authorization: Basic ${Buffer.from(text).toString('base64')}`;
  return fc.tuple(
    fc.oneof(
      { weight: 9, arbitrary: fc.constant(basic(`:${key}`)) },
      {
        weight: 3,
        arbitrary: fc.constantFrom(
          '',
          basic(`:${strangersKey}`),
          basic(`:${secrets.wrongKey}`),
          basic(`user:${key}`),
          basic(key),
          `authorization: Bearer ${key}`,
          'authorization: Basic ====',
          `authorization: Basic ${'A'.repeat(20_000)}`,
        ),
      },
    ),
    fc.constantFrom(
      ...Array<string>(20).fill(''),
      'x-request-id: a.b-c_d',
      `x-request-id: ${'y'.repeat(65)}`,
      'expect: 100-continue',
      'expect: tea',
      'upgrade: websocket',
      'accept: text/html',
      `cookie: ${'c'.repeat(30_000)}`,
      'no colon at all',
      ' folded: header',
    ),
  );
}

const anyFraming: fc.Arbitrary<Hostile['framing']> = fc.oneof(
  { weight: 20, arbitrary: fc.constant<Hostile['framing']>('length') },
  {
    weight: 3,
    arbitrary: fc.constantFrom<Hostile['framing']>(
      'chunks',
      'too long a length',
      'too short a length',
      'invalid chunks',
    ),
  },
);

/** The bytes of a request. Unless it is `raw`, characters that Node would reject are encoded. */
function bytesOf({ method, target, raw, headers, body, framing }: Hostile): Buffer {
  const encoded = target.replace(raw ? /[\r\n ]/g : /[^\x21-\x7e]/gu, (character) =>
    Buffer.from(character).toString('hex').replace(/../g, '%$&'),
  );
  const line = `${method} ${encoded} HTTP/1.1`;
  const head = [line, 'host: localhost', 'connection: close', ...headers.filter(Boolean)];
  const end = (...last: string[]) => Buffer.from(`${[...head, ...last].join('\r\n')}\r\n\r\n`);
  if (body === undefined) return end();
  const { length } = body;
  switch (framing) {
    case 'length':
      return Buffer.concat([end(`content-length: ${length}`), body]);
    case 'too long a length':
      return Buffer.concat([end(`content-length: ${length + 10}`), body]);
    case 'too short a length':
      return Buffer.concat([end(`content-length: ${Math.floor(length / 2)}`), body]);
    case 'chunks': {
      const chunk = length === 0 ? '' : `${length.toString(16)}\r\n`;
      const rest = length === 0 ? '0\r\n\r\n' : '\r\n0\r\n\r\n';
      return Buffer.concat([
        end('transfer-encoding: chunked'),
        Buffer.from(chunk),
        body,
        Buffer.from(rest),
      ]);
    }
    case 'invalid chunks':
      return Buffer.concat([end('transfer-encoding: chunked'), Buffer.from('zz\r\n'), body]);
  }
}

/** Sends a request on its own connection. Returns the status, or 0 if there is no response. */
function send(request: Hostile): Promise<number> {
  const { hostname, port } = new URL(sandbox[`${request.service}Url`]);
  return new Promise((resolve, reject) => {
    const start = performance.now();
    const socket = connect(Number(port), hostname);
    let received = '';
    socket.setEncoding('latin1');
    socket.setTimeout(WITHIN_MS, () => socket.destroy(new Error(`no data for ${WITHIN_MS} ms`)));
    socket.on('data', (text) => {
      received += text;
    });
    // A server may close the connection after its response while the caller still sends.
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error);
    });
    socket.on('close', () => {
      const status = Number(/^HTTP\/1\.1 (?!100)(\d{3}) /m.exec(received)?.[1] ?? 0);
      const took = performance.now() - start;
      if (took > WITHIN_MS) reject(new Error(`took ${took} ms`));
      else resolve(status);
    });
    // A caller whose body is incomplete closes the connection. All others wait for the response.
    if (request.framing === 'too long a length') socket.end(bytesOf(request));
    else socket.write(bytesOf(request));
  });
}

test(`${REQUESTS} or more hostile requests find no bug, reveal no secret and keep the ledger consistent`, async () => {
  const prototypeNames = Object.getOwnPropertyNames(Object.prototype);
  const seen = new Map<number, number>();

  /** A few hostile requests at once, again and again. */
  const round = () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(hostile, { minLength: AT_ONCE, maxLength: AT_ONCE }),
        async (batch) => {
          await Promise.all(
            batch.map(async (request) => {
              const status = await send(request).catch((error) => {
                throw new Error(`${error.message}: ${summarise(request)}`);
              });
              seen.set(status, (seen.get(status) ?? 0) + 1);
              expect(status, summarise(request)).toBeLessThan(500);
              // Only a caller that closes the connection first gets no response.
              if (status === 0)
                expect(request.framing, summarise(request)).toBe('too long a length');
            }),
          );
          expect(bugs, batch.map(summarise).join('\n')).toEqual([]);
        },
      ),
      { numRuns: ROUND / AT_ONCE, endOnFailure: true, reporter: reportSeed },
    );

  // Requests must pass the first checks too, otherwise the test would reach nothing else.
  const everyStatus = [200, 201, 204, 303, 400, 401, 403, 404, 405, 413, 414, 415];
  const isDone = (sent: number) =>
    sent >= MOST_REQUESTS || (sent >= REQUESTS && everyStatus.every((status) => seen.has(status)));
  for (let sent = 0; !isDone(sent); sent += ROUND) await round();
  expect([...seen.keys()]).toEqual(expect.arrayContaining(everyStatus));
  expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(prototypeNames);
  expect({}).not.toHaveProperty('polluted');

  const report = reported.join('\n');
  for (const secret of [sandbox.demoApp.key, ...Object.values(secrets)]) {
    expect(report).not.toContain(secret);
  }
  expect((await rest(sandbox.usersUrl).get('/users')).status).toBe(200);
  const { faults, transactions, lines } = await ledgerFaults(shop);
  expect(faults).toEqual([]);
  for (const { length } of [transactions, lines]) expect(length).toBeLessThan(1000);
});

/** Reports only the seed that repeats a failure. The cause contains the requests. */
function reportSeed({ failed, seed, errorInstance }: fc.RunDetails<[Hostile[]]>): void {
  if (failed) throw new Error(`Failed with the seed ${seed}`, { cause: errorInstance });
}

/** A request in a message. */
function summarise({ body, ...request }: Hostile): string {
  const text = body === undefined ? '' : Buffer.from(body).toString('latin1').slice(0, 200);
  return `${JSON.stringify(request).slice(0, 300)} ${JSON.stringify(text)}`;
}
