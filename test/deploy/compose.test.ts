import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { readGatewaySettings } from '../../src/gateway/settings/settings.ts';
import { readSandboxSettings } from '../../src/sandbox/settings.ts';
import { projectFolder } from '../support/program.ts';
import { declared, defaultOf, drainMs } from './declared-settings.ts';
import { read } from './manifests.ts';

/** What the tests read of a service. */
interface Service {
  readonly image: string;
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly command?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly stop_grace_period?: string;
  readonly mem_limit?: string;
}

const { services }: { services: Readonly<Record<'gateway' | 'sandbox' | 'postgres', Service>> } =
  parse(read('deploy/compose.yaml'), { merge: true });
const { gateway, sandbox, postgres } = services;
const example = parseEnv(read('deploy/compose.env.example'));
const PASSWORD = 'POSTGRES_PASSWORD';

/** As Compose replaces variables. */
function interpolate(environment: Readonly<Record<string, string>>): Record<string, string> {
  const fill = (text: string) =>
    text.replace(/\$\{(\w+)(?::[?-][^}]*)?\}/g, (_, name) => example[name] ?? '');
  return Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [name, fill(String(value))]),
  );
}

test('every variable is a setting, and the programs accept their values', () => {
  const names = [...Object.keys(example), ...Object.keys(gateway.environment)]
    .concat(Object.keys(sandbox.environment))
    .filter((name) => name !== PASSWORD);
  expect(names.filter((name) => !declared.has(name))).toEqual([]);
  const { services: urls, money } = readGatewaySettings({
    ...example,
    ...interpolate(gateway.environment),
  });
  const { databaseUrl, demoKey } = readSandboxSettings(interpolate(sandbox.environment));
  expect(money.databaseUrl).toBe(databaseUrl);
  expect(demoKey).toBe(example.SANDBOX_DEMO_KEY);
  expect(urls).toEqual({
    usersUrl: `http://sandbox:${defaultOf('SANDBOX_USERS_PORT')}`,
    paymentsUrl: `http://sandbox:${defaultOf('SANDBOX_PAYMENTS_PORT')}`,
    posUrl: `http://127.0.0.1:${defaultOf('SANDBOX_POS_PORT')}`,
  });
});

test('the database is the one of the addresses', () => {
  const { username, password, host, pathname } = new URL(
    interpolate(gateway.environment).DATABASE_URL ?? '',
  );
  expect({ host, pathname }).toEqual({ host: 'postgres:5432', pathname: '/tillgraph' });
  const { POSTGRES_USER, POSTGRES_PASSWORD } = interpolate(postgres.environment);
  expect({ username, password }).toEqual({ username: POSTGRES_USER, password: POSTGRES_PASSWORD });
});

test('ports are published to this machine only, and are those of the programs', () => {
  const { PORT, OPERATIONS_PORT } = gateway.environment;
  expect(gateway.ports).toEqual([
    `127.0.0.1:${PORT}:${PORT}`,
    `127.0.0.1:${OPERATIONS_PORT}:${OPERATIONS_PORT}`,
  ]);
  const pos = defaultOf('SANDBOX_POS_PORT');
  expect(sandbox.ports).toEqual([`127.0.0.1:${pos}:${pos}`]);
  expect(postgres.ports).toBeUndefined();
});

test('the image is built from the files that exist', () => {
  for (const { build, command } of [gateway, sandbox]) {
    expect(existsSync(join(projectFolder, build?.dockerfile ?? ''))).toBe(true);
    expect(build?.context).toBe('..');
    const [file] = command ?? ['bin/gateway.js'];
    expect(existsSync(join(projectFolder, file ?? ''))).toBe(true);
  }
});

test('the gateway has the time to stop', () => {
  expect(Number.parseInt(gateway.stop_grace_period ?? '', 10) * 1_000).toBeGreaterThan(drainMs);
});

test('git ignores the file with the secrets', () => {
  const { status } = spawnSync('git', ['check-ignore', '--quiet', '--no-index', 'deploy/.env'], {
    cwd: projectFolder,
  });
  expect(status).toBe(0);
});
