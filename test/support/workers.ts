import { readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { onTestFinished } from 'vitest';
import { post } from './flood.ts';
import { freePort } from './free-port.ts';
import { type Program, type Settings, startProgram, usedPostgres } from './program.ts';
import { type StubAnswer, type StubService, startStubService } from './stub-service.ts';

/** The response to what {@link send} sends. */
export const NAME = { data: { viewer: { name: 'Demo' } } };

const ask = { query: '{ viewer { name } }' };

/** Two workers in front of a service that knows one app. */
export async function startWorkers(
  settings: Settings = {},
  answers: Readonly<Record<string, StubAnswer>> = {},
): Promise<{ program: Program; service: StubService; folder: string }> {
  const service = await startStubService({
    'GET /me': { json: { identity: { id: 'a1', name: 'Demo' } } },
    ...answers,
  });
  onTestFinished(() => service.close());
  const given = await servicesAt(service.url);
  const program = await startProgram({ ...given, ...settings });
  return { program, service, folder: given.DATA_DIR };
}

/** Settings of two workers in front of services at one address. */
export async function servicesAt(url: string) {
  return {
    ...(await usedPostgres()),
    ...{ USERS_URL: url, PAYMENTS_URL: url, POS_URL: url },
    ...{ WORKERS: '2', DRAIN_DELAY_MS: '200', LOG_LEVEL: 'warn' },
    OPERATIONS_PORT: String(await freePort(2)),
  };
}

/** Sends a request over a connection of its own: the workers get connections in turn. */
export async function send({ url }: Pick<Program, 'url'>, body: object = ask) {
  const agent = new Agent({ keepAlive: false });
  const { status, text } = await post(`${url}/graphql`, agent, {
    headers: { authorization: 'Bearer any-key' },
    body: JSON.stringify(body),
  });
  return { status, ...JSON.parse(text) };
}

/** The workers of a program. */
export function workersOf({ pid }: Pick<Program, 'pid'>): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.trim().split(' ').map(Number);
}
