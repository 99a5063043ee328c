import { isSameEntry } from '../../../money/engine/snapshot.ts';
import type { UnshownOperation } from '../../../money/store/shown.ts';
import type { OwnWrite } from '../../../replica/sync.ts';
import type { RestRecord } from '../../../upstream/record.ts';
import type { Transaction } from '../transaction-source.ts';
import { toSnapshotEntries } from './trail-snapshot.ts';

/** How the replica sees that a transaction shows a money operation. */
export function toOwnWrite({ id, transactionId, entries }: UnshownOperation): OwnWrite {
  return {
    id,
    transactionId,
    isShownBy: (record: RestRecord) => {
      if (entries.length === 0) return true;
      const shown = toSnapshotEntries(record as Transaction);
      return entries.some((entry) => shown.some((other) => isSameEntry(entry, other)));
    },
  };
}
