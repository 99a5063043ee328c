import { Agent } from 'node:http';
import { onTestFinished } from 'vitest';
import { post } from '../../support/flood.ts';
import {
  type Program,
  patientSettings,
  type Settings,
  startProgram,
  usedPostgres,
} from '../../support/program.ts';
import { type StubAnswer, startStubService } from '../../support/stub-service.ts';

const EXPECTED = '200 {"data":{"viewer":{"name":"Demo"}}}';
const REQUEST = {
  headers: { authorization: 'Bearer any-key' },
  body: JSON.stringify({ query: '{ viewer { name } }' }),
};

/** For a gateway whose requests all have the same app key: on a slow machine many of them wait. */
export const patient = patientSettings;

/**
 * Returns how to start gateways in front of services that know one app. These are as small as
 * possible, so that two cores are enough.
 */
export async function openServices(
  answers: Readonly<Record<string, StubAnswer>> = {},
): Promise<(settings?: Settings) => Promise<Program>> {
  const services = await startStubService({
    'GET /me': { json: { identity: { id: 'a1', name: 'Demo' } } },
    ...answers,
  });
  onTestFinished(() => services.close());
  const storage = await usedPostgres();
  const { url } = services;
  const given = { USERS_URL: url, PAYMENTS_URL: url, POS_URL: url, LOG_LEVEL: 'warn' };
  return (settings = {}) => startProgram({ ...storage, ...given, ...patient, ...settings });
}

/**
 * Sends queries to an address. An answer that is not the one of a gateway is an error.
 *
 * @param keepAlive whether connections are used again
 */
export function createClient(
  url: string,
  keepAlive = true,
): () => Promise<{ readonly errors?: string }> {
  const agent = new Agent({ keepAlive });
  onTestFinished(() => agent.destroy());
  return async () => {
    const { status, text } = await post(`${url}/graphql`, agent, REQUEST);
    const answer = `${status} ${text}`;
    return answer === EXPECTED ? {} : { errors: answer };
  };
}
