import type { ServiceUrls } from './gateway/settings.ts';

/** What the startup output shows. */
export interface Started {
  readonly url: string;
  /** Whether GraphiQL and the diagram are served. */
  readonly graphiql: boolean;
  readonly services: ServiceUrls;
  /** Whether clients send tokens instead of keys. */
  readonly tokens: boolean;
  /** The key of the sandbox's demo app; absent without the sandbox, or if clients send tokens. */
  readonly demoKey?: string;
  /** Where money operations are stored. */
  readonly moneyRecord: string;
  /** Where the sandbox stores its data. */
  readonly storage?: string;
}

/** Prints everything that you need to send a first request. */
export function printStart(started: Started): void {
  const { url, graphiql, services, tokens, demoKey, moneyRecord, storage } = started;
  const endpoint = `${url}/graphql`;
  const body = JSON.stringify({
    query: '{ merchants { edges { node { name fundingCurrency } } } }',
  });
  const sandbox = storage !== undefined;
  const noKey = tokens ? '- (clients send tokens)' : '- (use the key of one of your apps)';
  const pages = graphiql
    ? `\
  GraphiQL       ${endpoint}
  Diagram        ${url}/schema`
    : `\
  Endpoint       ${endpoint}`;
  console.log(`
Tillgraph is running. Stop it with Ctrl-C.

${pages}
  Demo key       ${demoKey ?? noKey}
  Try it         curl ${endpoint} -H 'content-type: application/json' \\
                   -H 'authorization: Bearer ${demoKey ?? (tokens ? '<token>' : '<key>')}' \\
                   -d '${body}'

  User records   ${services.usersUrl}${sandbox ? '   (sandbox)' : ''}
  Payments       ${services.paymentsUrl}${sandbox ? '   (sandbox)' : ''}
  Payment page   ${services.posUrl}${sandbox ? '   (sandbox)' : ''}
  Operations     ${moneyRecord}
  Data           ${storage ?? '- (with the services)'}
`);
}
