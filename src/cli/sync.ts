import { openOrExplain } from '../gateway/money/commands/open-for-operator.ts';
import { OperatorError } from '../gateway/money/commands/operator.ts';
import type { DescribedMerchant } from '../gateway/replica/store/merchants.ts';
import { openExistingReplicaStore } from '../gateway/replica/store/open-replica-store.ts';
import type { OperatorSettings } from '../gateway/settings/settings.ts';

/** How to use the command. */
export const SYNC_USAGE = `Usage: tillgraph sync [--json]
       tillgraph sync restart <merchant>

Shows how far the lists of each merchant are copied: the state, how old the replica is,
its records, how many of them a daily comparison had to repair, and why it has stopped.

  restart    Copies a merchant again from the beginning: <merchant> is its rawId or id.

The command needs the same DATABASE_URL or DATA_DIR as the gateway. With DATA_DIR,
stop the gateway first.`;

const MERCHANT = /^(?:mer_)?([A-Za-z0-9_-]{1,128})$/;

/** `tillgraph sync`: shows the replica, and copies a merchant again. */
export async function sync(
  args: readonly string[],
  readStorage: () => OperatorSettings['money'],
  print: (text: string) => void,
): Promise<void> {
  const [name, merchant, ...more] = args;
  const isRestart = name === 'restart' && merchant !== undefined && more.length === 0;
  const isList = name === undefined || (name === '--json' && merchant === undefined);
  const id = MERCHANT.exec(merchant ?? '')?.[1];
  if (!isList && (!isRestart || id === undefined)) throw new OperatorError(SYNC_USAGE);
  const store = await openOrExplain(readStorage(), openExistingReplicaStore, 'replica');
  try {
    if (isList) {
      const merchants = await store.describe();
      print(name === '--json' ? JSON.stringify(merchants) : toText(merchants));
    } else if (id !== undefined && (await store.startOver(id))) {
      print(`A running gateway copies ${id} again within a second, another one when it starts.`);
    } else {
      throw new OperatorError(`The merchant ${id} is not copied. \`tillgraph sync\` shows all.`);
    }
  } finally {
    await store.close();
  }
}

function toText(merchants: readonly DescribedMerchant[]): string {
  if (merchants.length === 0) return 'No merchant is copied.';
  return merchants.map(toLine).join('\n');
}

function toLine(described: DescribedMerchant): string {
  const { merchant, state, ageSeconds, records, repaired, reason } = described;
  const age = ageSeconds === null ? 'not copied yet' : `${Math.round(ageSeconds)} s old`;
  const why = reason === null ? '' : `\n  ${reason}`;
  return `${merchant}  ${state}  ${age}  ${records} records  ${repaired} repaired${why}`;
}
