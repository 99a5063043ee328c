import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { gatewayGroups, readGatewaySettings } from '../../src/gateway/settings/settings.ts';
import { readSandboxSettings, sandboxGroups } from '../../src/sandbox/settings.ts';
import { printDocuments } from '../../src/settings/documents.ts';
import { declarationsIn } from '../../src/settings/setting.ts';

const groups = [...gatewayGroups, ...sandboxGroups];
const documents = Object.entries(printDocuments(groups));
const names = [
  ...new Set(groups.flatMap(({ settings }) => declarationsIn(settings).map(({ name }) => name))),
];

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const envExample = read('.env.example');
const schema = JSON.parse(read('schema/settings.schema.json'));
const accepts = new Ajv2020({ allErrors: true, formats: { uri: URL.canParse } }).compile(schema);

/** Whether both programs accept a value of a setting. */
function isValid(name: string, value: string): boolean {
  // The longest write, so that a rule between settings rejects no lease.
  const env = {
    UPSTREAM_WRITE_MS: '1',
    [name]: value,
    ...(name.endsWith('WRITE_MS') && LEASE),
    ...(name === 'WORKERS' && SHARED),
    ...(name === 'JWT_CLOCK_TOLERANCE_MS' && TOKENS),
  };
  try {
    readGatewaySettings(env);
    readSandboxSettings(env);
    return true;
  } catch {
    return false;
  }
}

const LEASE = { MONEY_LEASE_MS: '3600000' };
/** What tokens need. */
const TOKENS = {
  AUTH: 'jwt',
  JWT_ISSUER: 'https://id.example',
  JWT_AUDIENCE: 'tillgraph',
  JWT_SECRET: 'a secret of 32 characters or more',
};
/** What several workers need. */
const SHARED = {
  ...{ USERS_URL: 'http://x', PAYMENTS_URL: 'http://x', POS_URL: 'http://x' },
  DATABASE_URL: 'postgresql://x/y',
};

test.each(documents)('%s matches the declared settings', (path, text) => {
  expect(read(path), 'Run `npm run settings`.').toBe(text);
});

test('every document has every setting', () => {
  const inMarkdown = [...read('docs/settings.md').matchAll(/^\| `([A-Z_]+)`/gm)].map(([, n]) => n);
  expect(new Set(inMarkdown)).toEqual(new Set(names));
  expect([...envExample.matchAll(/^#([A-Z_]+)=/gm)].map(([, name]) => name)).toEqual(names);
  expect(Object.keys(schema.properties)).toEqual(names);
});

test('a setting of two groups is described once, and the second row links to it', () => {
  const rows = read('docs/settings.md').match(/^\| `DATA_DIR` .*$/gm);
  expect(rows).toEqual([
    expect.stringContaining('| Folder of the embedded database, '),
    '| `DATA_DIR` | `.data` | A string | See [Money operations](#money-operations). |',
  ]);
});

test('`.env.example` without its comment signs changes nothing', () => {
  const env = parseEnv(envExample.replace(/^#(?=[A-Z_]+=)/gm, ''));
  expect(Object.keys(env).sort()).toEqual([...names].sort());
  expect(readGatewaySettings(env)).toEqual(readGatewaySettings({}));
  expect(readSandboxSettings(env)).toEqual(readSandboxSettings({}));
});

test.each(names.filter((name) => schema.properties[name].type === 'integer'))(
  '%s has the same bounds in the JSON Schema',
  (name) => {
    const { minimum, maximum } = schema.properties[name];
    for (const value of [minimum, maximum, minimum - 1, maximum + 1]) {
      const within = value >= minimum && value <= maximum;
      expect(isValid(name, String(value))).toBe(within);
      expect(accepts({ [name]: value })).toBe(within);
    }
    expect(accepts({ [name]: '1' })).toBe(false);
  },
);

test.each([
  ['FEDERATION', 'subgraph', 'yes'],
  ['MONEY_GUARDED_REPOST', 'off', 'no'],
  ['DATABASE_URL', 'postgres://x', 'mysql://x'],
  ['SANDBOX_DATABASE_URL', 'postgresql://x', 'postgresql://'],
  ['SMTP_URL', 'smtps://x', 'http://x'],
  ['MONEY_RECONCILE_API_KEY', 'a'.repeat(200), 'a'.repeat(201)],
  ['SANDBOX_DEMO_KEY', '~', 'a b'],
])('%s takes `%s` and not `%s`, also in the JSON Schema', (name, valid, invalid) => {
  expect([isValid(name, valid), accepts({ [name]: valid })]).toEqual([true, true]);
  expect([isValid(name, invalid), accepts({ [name]: invalid })]).toEqual([false, false]);
});

test('the JSON Schema takes the URLs of all services or none', () => {
  const urls = { USERS_URL: 'http://x', PAYMENTS_URL: 'http://x', POS_URL: 'http://x' };
  expect([accepts({}), accepts(urls)]).toEqual([true, true]);
  const { POS_URL, ...two } = urls;
  expect([accepts({ POS_URL }), accepts(two)]).toEqual([false, false]);
  expect(accepts({ ...urls, POS_URL: 'nonsense' })).toBe(false);
});

test('every key, and every URL that can have a password, is secret and never repeated', () => {
  const secret = names.filter((name) => schema.properties[name].writeOnly);
  const addresses = ['USERS_URL', 'PAYMENTS_URL', 'POS_URL', 'JWT_JWKS_URL'];
  const delicate = names.filter((name) => /_(URL|KEY|SECRET|HEADERS)$/.test(name));
  expect(delicate).toEqual(names.filter((name) => [...secret, ...addresses].includes(name)));
  for (const name of delicate) {
    for (const reader of [readGatewaySettings, readSandboxSettings]) {
      const complaint = String(errorOf(() => reader({ [name]: 'ftp://me:hidden@x y' })));
      expect(complaint).not.toContain('hidden');
    }
    expect(isValid(name, 'ftp://me:hidden@x y')).toBe(false);
  }
});

function errorOf(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}
