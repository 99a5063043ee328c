import { openOrExplain } from '../gateway/money/commands/open-for-operator.ts';
import { OperatorError } from '../gateway/money/commands/operator.ts';
import { openExistingReplicaStore } from '../gateway/replica/store/open-replica-store.ts';
import type { OperatorSettings } from '../gateway/settings/settings.ts';
import type { DescribedEndpoint } from '../gateway/webhooks/webhook-store.ts';

/** How to use the command. */
export const WEBHOOKS_USAGE = `Usage: tillgraph webhooks [--json]
       tillgraph webhooks enable <endpoint>

Shows where events are sent: the id of each endpoint, its host, what it has not accepted
yet, since when every attempt fails, and why it is disabled.

  enable     Sends to a disabled endpoint again what happens next, and what was pending.

The command needs the same DATABASE_URL or DATA_DIR as the gateway. With DATA_DIR,
stop the gateway first.`;

const ENDPOINT = /^(?:whe_)?(.+)-([0-9a-f]{32})$/;

/** `tillgraph webhooks`: shows the endpoints, and enables one again. */
export async function webhooks(
  args: readonly string[],
  readStorage: () => OperatorSettings['money'],
  print: (text: string) => void,
): Promise<void> {
  const [name, endpoint, ...more] = args;
  const [, merchant, id] = ENDPOINT.exec(endpoint ?? '') ?? [];
  const isEnable = name === 'enable' && more.length === 0;
  const isList = name === undefined || (name === '--json' && endpoint === undefined);
  if (!isList && !isEnable) throw new OperatorError(WEBHOOKS_USAGE);
  const store = await openOrExplain(readStorage(), openExistingReplicaStore, 'replica');
  try {
    if (isList) {
      const found = await store.webhooks.describeEndpoints();
      // Only the host, because the rest of a URL can contain a secret of the receiver.
      const endpoints = found.map(({ url, ...rest }) => ({ ...rest, host: new URL(url).host }));
      print(name === '--json' ? JSON.stringify(endpoints) : toText(endpoints));
      return;
    }
    const enabled =
      merchant !== undefined &&
      id !== undefined &&
      (await store.webhooks.changeEndpoint({ merchant, id }, { enabled: true }));
    if (!enabled) {
      throw new OperatorError(
        `There is no endpoint ${endpoint}. \`tillgraph webhooks\` shows all.`,
      );
    }
    print(`Events are sent to whe_${merchant}-${id} again.`);
  } finally {
    await store.close();
  }
}

type Shown = Omit<DescribedEndpoint, 'url'> & { readonly host: string };

function toText(endpoints: readonly Shown[]): string {
  return endpoints.length === 0 ? 'There are no endpoints.' : endpoints.map(toLine).join('\n');
}

function toLine(described: Shown): string {
  const { merchant, id, host, pending, oldest, failingSince, disabled } = described;
  const waiting =
    oldest === null ? '0 pending' : `${pending} pending since ${oldest.toISOString()}`;
  const failing = failingSince === null ? '' : `  failing since ${failingSince.toISOString()}`;
  const why = disabled === null ? '' : `\n  disabled: ${disabled}`;
  return `whe_${merchant}-${id}  ${host}  ${waiting}${failing}${why}`;
}
