import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const src = fileURLToPath(new URL('../../src/', import.meta.url));

/**
 * The rooms of `src/`, lowest first, with what each may import besides itself: rooms and files that
 * come before it. Every program may import the files of the first row.
 */
const ROOMS: readonly (readonly [room: string, ...allowed: string[]])[] = [
  ['within.ts'],
  ['package-files.ts'],
  ['currencies.ts'],
  ['settings/'],
  ['database/', 'settings/', 'package-files.ts', 'within.ts'],
  ['gateway/channels.ts'],
  ['gateway/settings/', 'settings/', 'database/settings.ts'],
  [
    'gateway/upstream/',
    ...['gateway/channels.ts', 'gateway/settings/settings.ts', 'package-files.ts', 'within.ts'],
  ],
  ['gateway/schema/', 'gateway/upstream/', 'currencies.ts'],
  ['gateway/search/', 'gateway/schema/', 'gateway/upstream/'],
  ['gateway/events/', 'gateway/schema/', 'database/'],
  ['gateway/webhooks/', ...['gateway/events/', 'gateway/schema/', 'database/', 'package-files.ts']],
  [
    'gateway/replica/',
    ...['gateway/schema/', 'gateway/search/', 'gateway/events/', 'gateway/webhooks/'],
    ...['gateway/upstream/', 'database/'],
  ],
  [
    'gateway/money/engine/',
    ...['gateway/schema/amount.ts', 'gateway/schema/request-failure.ts'],
    'gateway/upstream/rest-error.ts',
  ],
  ['gateway/money/store/', 'gateway/money/engine/', 'database/', 'within.ts'],
  [
    'gateway/money/',
    ...['gateway/money/engine/', 'gateway/money/store/', 'within.ts'],
    ...['gateway/schema/client-messages.ts', 'gateway/schema/request-failure.ts'],
    ...['gateway/upstream/rest-error.ts', 'gateway/upstream/shares.ts'],
  ],
  [
    'gateway/money/commands/',
    ...['gateway/money/', 'database/', 'gateway/schema/amount.ts'],
    'gateway/upstream/rest-error.ts',
  ],
  [
    'gateway/domain/',
    ...['gateway/schema/', 'gateway/search/', 'gateway/events/', 'gateway/webhooks/'],
    ...['gateway/replica/', 'gateway/money/', 'gateway/upstream/'],
  ],
  ['gateway/schema.ts', 'gateway/schema/', 'gateway/domain/'],
  ['gateway/access/', 'gateway/settings/settings.ts', 'gateway/upstream/', 'package-files.ts'],
  ['gateway/http/', 'gateway/channels.ts', 'gateway/schema/exact-number.ts'],
  [
    'gateway/telemetry/',
    ...['gateway/channels.ts', 'gateway/http/hosts.ts', 'gateway/http/open-port.ts'],
    ...['gateway/settings/settings.ts'],
    ...['gateway/upstream/', 'within.ts'],
  ],
  [
    'gateway/http/pages/',
    ...['gateway/http/accept.ts', 'gateway/telemetry/gateway-state.ts', 'package-files.ts'],
  ],
  ['gateway/export/', 'gateway/http/'],
  [
    'gateway/execution/documents/',
    ...['gateway/channels.ts', 'gateway/schema.ts', 'gateway/schema/', 'gateway/settings/'],
    'gateway/http/respond.ts',
  ],
  ['gateway/execution/plans/', 'gateway/execution/documents/', 'gateway/schema/selection.ts'],
  ['gateway/execution/', 'gateway/'],
  ['gateway/gateway.ts', 'gateway/'],
  ['sandbox/', 'settings/', 'database/', 'currencies.ts', 'package-files.ts', 'within.ts'],
  ['start/', 'gateway/', 'settings/', 'database/open.ts', 'package-files.ts', 'within.ts'],
  ['cli/', 'gateway/', 'settings/', 'start/load-sandbox.ts', 'package-files.ts'],
  ['main.ts', 'gateway/', 'settings/', 'start/', 'database/embedded.ts'],
];

/** The nouns in their order: a noun may import from earlier nouns only. */
const NOUNS = [
  'user',
  'merchant',
  'member',
  'app',
  'viewer',
  'money-operation',
  'transaction',
  'line',
  'card',
  'dispute',
  'fraud-alert',
  'payment-link',
  'search',
  'event',
  'webhook',
];

interface Import {
  readonly from: string;
  readonly to: string;
}

/** All imports between files of `src/`, as paths relative to it. */
function readImports(): Import[] {
  return readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => {
      const from = file.replaceAll('\\', '/');
      const text = readFileSync(join(src, file), 'utf8');
      const found = text.matchAll(/^(?:import|export)\b[^;'"]*?(?:from\s+)?'(\.{1,2}\/[^']+)'/gms);
      return [...found].map(([, target = '']) => ({
        from,
        to: posix.normalize(posix.join(dirname(from), target)),
      }));
    });
}

function nounOf(file: string): string | undefined {
  const [, noun] = /^gateway\/domain\/([^/]+)\//.exec(file) ?? [];
  return noun;
}

/** The room of a file: the one with the longest name. */
function roomOf(file: string) {
  const rooms = ROOMS.filter(([room]) => file.startsWith(room));
  return rooms.sort(([one], [other]) => other.length - one.length)[0];
}

/** Why an import is not allowed, or `undefined`. */
function complaint({ from, to }: Pick<Import, 'from' | 'to'>): string | undefined {
  const room = roomOf(from);
  if (room === undefined) return 'it is in no room';
  const [itself, ...allowed] = room;
  const isOwn = roomOf(to)?.[0] === itself;
  if (!isOwn && !allowed.some((place) => to.startsWith(place))) return 'not in its row';
  const noun = nounOf(from);
  if (noun === undefined) return undefined;
  const target = nounOf(to);
  if (from.endsWith('-source.ts') && target !== noun && !to.startsWith('gateway/upstream/')) {
    return 'a source imports only upstream/';
  }
  if (target === undefined || target === noun) return undefined;
  if (to.endsWith('-source.ts')) return 'a source of another noun';
  return NOUNS.indexOf(target) < NOUNS.indexOf(noun) ? undefined : 'a later noun';
}

function complaints(imports: readonly Pick<Import, 'from' | 'to'>[]): string[] {
  return imports.flatMap((found) => {
    const why = complaint(found);
    return why === undefined ? [] : [`${found.from} imports ${found.to}: ${why}`];
  });
}

test('every import is allowed by the rooms', () => {
  const imports = readImports();
  expect(imports.length).toBeGreaterThan(150);
  expect(complaints(imports)).toEqual([]);
});

test('no room imports one that comes after it, so that rooms form no circle', () => {
  const order = ROOMS.map(([room]) => room);
  const upwards = readImports().filter(({ from, to }) => {
    const [one = '', other = ''] = [roomOf(from)?.[0], roomOf(to)?.[0]];
    return order.indexOf(other) > order.indexOf(one);
  });
  expect(upwards).toEqual([]);
});

test.each([
  ['gateway/upstream/list.ts', 'gateway/schema/builder.ts'],
  ['currencies.ts', 'gateway/gateway.ts'],
  ['gateway/schema/node.ts', 'gateway/domain/user/user.ts'],
  ['gateway/domain/merchant/merchant.ts', 'gateway/domain/transaction/transaction.ts'],
  ['gateway/domain/line/line.ts', 'gateway/domain/merchant/merchant-source.ts'],
  ['gateway/domain/line/line-source.ts', 'gateway/schema/builder.ts'],
  ['gateway/money/runner.ts', 'gateway/domain/transaction/money/move-attempt.ts'],
  ['gateway/money/runner.ts', 'gateway/schema/builder.ts'],
  ['gateway/money/engine/machine.ts', 'gateway/money/store/claim.ts'],
  ['gateway/money/runner.ts', 'database/database.ts'],
  ['database/open.ts', 'sandbox/program.ts'],
  ['gateway/gateway.ts', 'sandbox/sandbox.ts'],
  ['sandbox/sandbox.ts', 'gateway/settings/settings.ts'],
  ['settings/setting.ts', 'gateway/settings/settings.ts'],
  ['gateway/gateway.ts', 'settings/read-settings.ts'],
  ['gateway/settings/settings.ts', 'database/open.ts'],
  ['main.ts', 'sandbox/sandbox.ts'],
  ['loose.ts', 'within.ts'],
])('%s may not import %s', (from, to) => {
  expect(complaints([{ from, to }])).toHaveLength(1);
});

test('only upstream/ creates errors of services', () => {
  const creators = readdirSync(join(src, 'gateway'), { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.ts') && !file.startsWith('upstream/'))
    .filter((file) => {
      const text = readFileSync(join(src, 'gateway', file), 'utf8');
      return /\bnew (RestError|ShapeError)\(/.test(text);
    });
  expect(creators).toEqual([]);
});

test('only the entry points read the environment', () => {
  const readers = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter(
      (file) =>
        file.endsWith('.ts') && /\bprocess\.env\b/.test(readFileSync(join(src, file), 'utf8')),
    )
    .map((file) => file.replaceAll('\\', '/'));
  expect(readers.sort()).toEqual(['cli/tillgraph.ts', 'main.ts', 'sandbox/main.ts']);
});
