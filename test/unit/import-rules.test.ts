import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const src = fileURLToPath(new URL('../../src/', import.meta.url));

/** The slices in their order: a slice may import from earlier slices only. */
const SLICES = [
  'user',
  'merchant',
  'member',
  'app',
  'viewer',
  'transaction',
  'line',
  'card',
  'dispute',
  'fraud-alert',
  'payment-link',
];

interface Import {
  readonly from: string;
  readonly to: string;
  readonly typeOnly: boolean;
}

/** All imports between files of `src/`, as paths relative to it. */
function readImports(): Import[] {
  return readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => {
      const from = file.replaceAll('\\', '/');
      const text = readFileSync(join(src, file), 'utf8');
      const found = text.matchAll(
        /^(?:import|export)\b([^;'"]*?)(?:from\s+)?'(\.{1,2}\/[^']+)'/gms,
      );
      return [...found].map(([, clause = '', target = '']) => ({
        from,
        to: posix.normalize(posix.join(dirname(from), target)),
        typeOnly: clause.trimStart().startsWith('type '),
      }));
    });
}

function sliceOf(file: string): string | undefined {
  const [program, folder] = file.split('/');
  return program === 'gateway' && folder !== undefined && SLICES.includes(folder)
    ? folder
    : undefined;
}

/** Why an import is not allowed, or `undefined`. Implements the table in src/README.md. */
function complaint({ from, to, typeOnly }: Import): string | undefined {
  const within = (file: string, ...folders: string[]) =>
    folders.some((folder) => file.startsWith(folder));
  const allow = (...folders: string[]) =>
    within(to, ...folders) ? undefined : 'not in its row of the table';

  if (/^(currencies|package-files|within)\.ts$/.test(from)) return 'it imports nothing';
  if (within(from, 'settings/')) return allow('settings/');
  if (to === 'within.ts') return from === 'gateway/channels.ts' ? 'it imports nothing' : undefined;
  if (within(from, 'database/')) return allow('database/', 'settings/');
  if (within(from, 'sandbox/')) {
    return allow('sandbox/', 'currencies.ts', 'package-files.ts', 'database/', 'settings/');
  }
  if (within(from, 'gateway/operation/store/')) {
    return allow('gateway/operation/', 'database/');
  }
  if (within(from, 'gateway/operation/')) {
    return allow(
      'gateway/operation/',
      'gateway/graphql/',
      'gateway/rest/rest-error.ts',
      'gateway/shares.ts',
    );
  }
  if (within(from, 'gateway/rest/')) {
    return allow('gateway/rest/', 'gateway/shares.ts', 'gateway/channels.ts', 'version.ts');
  }
  if (from === 'gateway/shares.ts' || from === 'gateway/channels.ts') return 'it imports nothing';
  if (within(from, 'gateway/observe/')) {
    if (to === 'gateway/settings.ts') return typeOnly ? undefined : 'only its type';
    return allow(
      'gateway/observe/',
      'gateway/channels.ts',
      'gateway/http/hosts.ts',
      'gateway/rest/path.ts',
    );
  }
  if (within(from, 'gateway/graphql/')) {
    if (to === 'gateway/context.ts') return typeOnly ? undefined : 'only its type';
    return allow(
      'gateway/graphql/',
      'gateway/rest/list.ts',
      'gateway/rest/path.ts',
      'gateway/rest/record.ts',
      'gateway/rest/rest-error.ts',
      'currencies.ts',
    );
  }
  if (within(from, 'gateway/search/')) {
    return allow(
      'gateway/search/',
      'gateway/graphql/',
      'gateway/rest/list.ts',
      'gateway/rest/rest-error.ts',
    );
  }
  if (within(from, 'gateway/export/')) {
    return allow(
      'gateway/export/',
      'gateway/http/exact-json.ts',
      'gateway/http/read-params.ts',
      'gateway/http/respond.ts',
    );
  }
  if (within(from, 'gateway/federation/')) {
    if (to === 'gateway/context.ts') return typeOnly ? undefined : 'only its type';
    return allow('gateway/federation/', 'gateway/graphql/', 'gateway/rest/record.ts');
  }
  if (within(from, 'gateway/protect/'))
    return allow('gateway/protect/', 'gateway/rest/', 'version.ts');
  if (within(from, 'gateway/graphiql/')) {
    return allow('gateway/graphiql/', 'gateway/http/accept.ts', 'package-files.ts');
  }
  if (within(from, 'gateway/status/')) {
    return allow(
      'gateway/status/',
      'gateway/http/accept.ts',
      'gateway/observe/gateway-state.ts',
      'package-files.ts',
    );
  }
  if (within(from, 'gateway/document/')) {
    return allow(
      'gateway/document/',
      'gateway/graphql/moves-money.ts',
      'gateway/graphql/paging.ts',
      'gateway/channels.ts',
    );
  }
  if (within(from, 'gateway/http/')) {
    return allow('gateway/http/', 'gateway/graphql/exact-number.ts', 'gateway/channels.ts');
  }
  const slice = sliceOf(from);
  if (slice !== undefined) {
    if (from.endsWith('-source.ts')) return allow('gateway/rest/');
    const target = sliceOf(to);
    if (target !== undefined) {
      if (target !== slice && to.endsWith('-source.ts')) return 'a source of another slice';
      return SLICES.indexOf(target) <= SLICES.indexOf(slice) ? undefined : 'a later slice';
    }
    if (to === 'gateway/context.ts') return typeOnly ? undefined : 'only its type';
    return allow(
      'gateway/graphql/',
      'gateway/operation/',
      'gateway/search/',
      'gateway/rest/list.ts',
      'gateway/rest/record.ts',
      'gateway/rest/rest-error.ts',
    );
  }
  if (from === 'gateway/context.ts') return typeOnly ? undefined : 'only types';
  if (
    /^gateway\/(auth-|export-|persisted-|request-|speed-|telemetry-|upstream-)?settings\.ts$/.test(
      from,
    )
  ) {
    return allow('gateway/', 'settings/', 'database/settings.ts');
  }
  if (within(from, 'gateway/')) return allow('gateway/');
  if (from === 'main.ts' && to === 'database/embedded.ts') return undefined;
  if (from === 'test-gateway.ts' && to === 'database/open.ts') return undefined;
  // main.ts, cli.ts, money.ts, load-sandbox.ts, start-gateway.ts, workers.ts, version.ts, print-*.ts
  return to.includes('/') ? allow('gateway/', 'settings/') : undefined;
}

function complaints(imports: readonly Import[]): string[] {
  return imports.flatMap((found) => {
    const why = complaint(found);
    return why === undefined ? [] : [`${found.from} imports ${found.to}: ${why}`];
  });
}

test('every import is allowed by the table of src/README.md', () => {
  const imports = readImports();
  expect(imports.length).toBeGreaterThan(150);
  expect(complaints(imports)).toEqual([]);
});

test.each([
  ['gateway/rest/list.ts', 'gateway/graphql/builder.ts'],
  ['currencies.ts', 'gateway/server.ts'],
  ['gateway/graphql/node.ts', 'gateway/user/user.ts'],
  ['gateway/graphql/node.ts', 'gateway/context.ts'],
  ['gateway/merchant/merchant.ts', 'gateway/transaction/transaction.ts'],
  ['gateway/line/line.ts', 'gateway/merchant/merchant-source.ts'],
  ['gateway/line/line-source.ts', 'gateway/graphql/builder.ts'],
  ['gateway/federation/subgraph.ts', 'gateway/user/user.ts'],
  ['gateway/operation/runner.ts', 'gateway/transaction/money/move-attempt.ts'],
  ['gateway/operation/runner.ts', 'database/database.ts'],
  ['database/open.ts', 'sandbox/program.ts'],
  ['gateway/server.ts', 'sandbox/sandbox.ts'],
  ['sandbox/sandbox.ts', 'gateway/settings.ts'],
  ['settings/setting.ts', 'gateway/settings.ts'],
  ['settings/documents.ts', 'sandbox/settings.ts'],
  ['gateway/server.ts', 'settings/read-settings.ts'],
  ['gateway/settings.ts', 'database/open.ts'],
  ['main.ts', 'sandbox/sandbox.ts'],
])('%s may not import %s', (from, to) => {
  expect(complaints([{ from, to, typeOnly: false }])).toHaveLength(1);
});

test('only rest/ creates errors of services', () => {
  const creators = readdirSync(join(src, 'gateway'), { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.ts') && !file.startsWith('rest/'))
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
  expect(readers.sort()).toEqual(['main.ts', 'money.ts', 'sandbox/main.ts']);
});
