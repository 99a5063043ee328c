import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openPersistedDocuments } from '../../../src/gateway/execution/documents/open-persisted-documents.ts';
import { readGatewaySettings } from '../../../src/gateway/settings/settings.ts';
import type { Answer } from '../../support/ask.ts';
import { type Stack, type StackOptions, startGateway } from '../../support/start-stack.ts';
import { scratchFolder } from '../../support/storage.ts';

/** The contents of files by their names. */
export type Files = Readonly<Record<string, string | object>>;

/** A folder with documents. */
export function writeDocuments(files: Files, folder: string = scratchFolder()): string {
  mkdirSync(folder, { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

/** A gateway with documents, in front of the sandbox of a stack. */
export async function startWithDocuments(
  stack: Stack,
  files: Files,
  env: Readonly<Record<string, string>> = {},
  options: StackOptions = {},
) {
  const { usersUrl, paymentsUrl, posUrl, demoApp } = stack.sandbox;
  const folder = writeDocuments(files);
  const { persisted, documents, graphiql } = readGatewaySettings({
    PERSISTED_DOCUMENTS: 'prefer',
    PERSISTED_DOCUMENTS_PATH: folder,
    GRAPHIQL: 'on',
    ...env,
  });
  const given = { persisted, documents, ...(graphiql === undefined ? {} : { graphiql }) };
  const settings = { ...readGatewaySettings({}), ...given };
  const persistedDocuments = await openPersistedDocuments(settings);
  const gateway = await startGateway({
    ...{ persistedDocuments, usersAccess: [demoApp.id], ...given, ...options },
    services: { usersUrl, paymentsUrl, posUrl },
  });
  return {
    url: gateway.url,
    folder,
    load: persistedDocuments.load,
    send: (body: object, headers?: Readonly<Record<string, string>>) =>
      post(`${gateway.url}/graphql`, body, { authorization: `Bearer ${demoApp.key}`, ...headers }),
    close: async () => {
      await gateway.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Sends a body to a gateway. */
async function post(
  url: string,
  body: object,
  headers: Readonly<Record<string, string>>,
): Promise<Answer & { readonly type: string | null }> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  // The shape that GraphQL over HTTP prescribes.
  const answer = (await response.json()) as Omit<Answer, 'status'>;
  return { status: response.status, type: response.headers.get('content-type'), ...answer };
}
