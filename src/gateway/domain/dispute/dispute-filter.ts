import { builder } from '../../schema/builder.ts';
import type { Context } from '../../schema/context.ts';
import type { Condition } from '../../search/condition.ts';
import { DateTimeRange, isImpossibleRange, isInTime, isLimited } from '../../search/range.ts';
import {
  isFlagged,
  isObject,
  readInstant,
  readInstantOrNull,
  readString,
} from '../../upstream/record.ts';
import { readTrail } from '../transaction/trail.ts';
import type { TransactionRef } from '../transaction/transaction.ts';
import type { Dispute } from './dispute-source.ts';

/** Input of a filter for disputes. */
export const DisputeFilterInput = builder.inputType('DisputeFilter', {
  description:
    'Conditions on a dispute. A dispute must meet all of them. A list matches if any of its values matches; an empty list matches nothing. A filter without conditions has no effect.',
  fields: (t) => ({
    createdAt: t.field({ type: DateTimeRange, description: 'When the dispute was opened.' }),
    dueAt: t.field({
      type: DateTimeRange,
      description: "Deadline for the merchant's response.",
    }),
    status: t.field({
      type: [DisputeStatusRef],
      description:
        'Any of these. Without a replica, finding the status takes one more call to the payments service per dispute.',
    }),
    transactionId: t.id({ description: 'The disputed transaction: a node id or a `rawId`.' }),
  }),
});

/** Conditions on a dispute; all must be met. */
export type DisputeFilter = typeof DisputeFilterInput.$inferInput;

/** The conditions on the dispute record itself. */
export function conditionsOf({ createdAt, dueAt }: DisputeFilter): Condition<Dispute>[] {
  const conditions: Condition<Dispute>[] = [];
  if (isLimited(createdAt)) {
    conditions.push((dispute) => isInTime(readInstant(dispute, 'created'), createdAt));
  }
  if (isLimited(dueAt)) {
    conditions.push((dispute) => {
      const due = readInstantOrNull(dispute, 'due');
      return due !== null && isInTime(due, dueAt);
    });
  }
  return conditions;
}

/** Whether no dispute can meet a filter. */
export function isImpossible({ createdAt, dueAt, status }: DisputeFilter): boolean {
  return (
    status?.length === 0 || isImpossibleRange(createdAt, null) || isImpossibleRange(dueAt, null)
  );
}

/** Whether a dispute has ended, and how. */
export const DisputeStatusRef = builder.enumType('DisputeStatus', {
  description: 'Whether a dispute has ended, and how.',
  values: {
    OPEN: { description: 'No outcome is known yet.' },
    WON: { description: 'The merchant keeps the amount.' },
    LOST: { description: 'The amount was returned to the cardholder.' },
  },
});

/** Whether a dispute has ended, and how. */
export type DisputeStatus = typeof DisputeStatusRef.$inferType;

/**
 * The status of a dispute, which only the transaction's trail shows. Null if the transaction does
 * not exist.
 */
export async function readStatus(
  dispute: Dispute,
  { disputes, transactions }: Pick<Context, 'disputes' | 'transactions'>,
): Promise<DisputeStatus | null> {
  const id = await disputes.read(dispute, (record) => readString(record, 'transactionId'));
  const transaction = await transactions.load(id);
  if (transaction === null) return null;
  return transactions.read(transaction, (record) => statusIn(record, dispute.id));
}

/** The status of a dispute in its transaction. Throws a `ShapeError` if it cannot be read. */
export function statusIn(transaction: typeof TransactionRef.$inferType, id: string): DisputeStatus {
  for (const { raw } of readTrail(transaction)) {
    const { dispute } = raw;
    if (!isObject(dispute) || dispute.id !== id) continue;
    const [isWon, isLost] = [isFlagged(dispute, 'won'), isFlagged(dispute, 'lost')];
    if (isWon !== isLost) return isWon ? 'WON' : 'LOST';
  }
  return 'OPEN';
}
