import type { ServiceUrls } from './gateway/settings.ts';

/** What the start screen tells. */
export interface Started {
  readonly url: string;
  readonly services: ServiceUrls;
  /** The sandbox's own key; left out with real services. */
  readonly demoKey?: string;
  /** Where the record of money operations lies. */
  readonly moneyRecord: string;
  /** Where the sandbox's records lie. */
  readonly storage?: string;
}

/** Prints, on one screen, all that a newcomer needs. */
export function printStart({ url, services, demoKey, moneyRecord, storage }: Started): void {
  const endpoint = `${url}/graphql`;
  const body = JSON.stringify({
    query: '{ merchants { edges { node { name fundingCurrency } } } }',
  });
  const sandbox = demoKey !== undefined;
  console.log(`
Tillgraph is running. Stop it with Ctrl-C.

  GraphiQL       ${endpoint}
  Diagram        ${url}/schema
  Demo key       ${demoKey ?? '- (use the key of one of your apps)'}
  Try it         curl ${endpoint} -H 'content-type: application/json' \\
                   -H 'authorization: Bearer ${demoKey ?? '<key>'}' \\
                   -d '${body}'

  User records   ${services.usersUrl}${sandbox ? '   (sandbox)' : ''}
  Payments       ${services.paymentsUrl}${sandbox ? '   (sandbox)' : ''}
  Payment page   ${services.posUrl}${sandbox ? '   (sandbox)' : ''}
  Money record   ${moneyRecord}
  Data           ${storage ?? '- (with the services)'}
`);
}
