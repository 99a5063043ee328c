import type { ServiceUrls } from '../gateway/settings/settings.ts';

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
  /** URL of the metrics; undefined if the port is not open. */
  readonly metricsUrl: string | undefined;
  /** The sandbox; absent if services are given. */
  readonly sandbox?: StartedSandbox;
}

/** What the startup output shows of the sandbox. */
interface StartedSandbox {
  /** Where it stores its data. */
  readonly storage: string;
  /** Describes its clock at startup; undefined if it is the machine's. */
  readonly clockDifference: string | undefined;
  /** Its control interface. */
  readonly controlUrl: string | undefined;
  /** A link for paying a demo merchant. */
  readonly paymentLink: string | undefined;
}

/**
 * Prints everything you need to send a first request.
 *
 * @param others the other workers
 */
export function printStart(started: Started, ...others: readonly Started[]): void {
  const { url, graphiql, services, tokens, demoKey, moneyRecord, metricsUrl, sandbox } = started;
  const endpoint = `${url}/graphql`;
  const workers = others.length + 1;
  const how = workers === 1 ? '' : ` with ${workers} workers, as process ${process.pid}`;
  const metrics = metricsUrl && [started, ...others].map((one) => one.metricsUrl).join(' ');
  const body = JSON.stringify({
    query: '{ merchants { edges { node { name fundingCurrency } } } }',
  });
  const note = sandbox === undefined ? '' : '   (sandbox)';
  const noKey = tokens ? '- (clients send tokens)' : '- (use the key of one of your apps)';
  const pages = graphiql
    ? `\
  GraphiQL       ${endpoint}
  Diagram        ${url}/schema`
    : `\
  Endpoint       ${endpoint}`;
  console.log(`
Tillgraph is running${how}. Stop it with Ctrl-C.

${pages}
  Demo key       ${demoKey ?? noKey}
  Try it         curl ${endpoint} -H 'content-type: application/json' \\
                   -H 'authorization: Bearer ${demoKey ?? (tokens ? '<token>' : '<key>')}' \\
                   -d '${body}'

  User records   ${services.usersUrl}${note}
  Payments       ${services.paymentsUrl}${note}
  Payment page   ${services.posUrl}${note}
${sandbox === undefined ? '' : sandboxLines(sandbox)}\
  Operations     ${moneyRecord}
  Data           ${sandbox?.storage ?? '- (with the services)'}
  Metrics        ${metrics ?? '- (set OPERATIONS_PORT to turn them on)'}
`);
}

function sandboxLines({ controlUrl, paymentLink, clockDifference }: StartedSandbox): string {
  const clock = clockDifference === undefined ? '' : `  Clock          ${clockDifference}\n`;
  return `\
  Pay            ${paymentLink ?? '- (there is no merchant)'}
  Control        ${controlUrl ?? '- (set SANDBOX_CONTROL_PORT to turn it on)'}
${clock}`;
}
