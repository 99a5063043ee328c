import type { Context } from '../context.ts';
import { builder } from '../graphql/builder.ts';
import { isFlagged, isObject, readText } from '../rest/record.ts';
import { readTrail, type TrailEntry } from '../transaction/trail.ts';
import type { Dispute } from './dispute-source.ts';

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

/** The status of a dispute. Only the trail of the transaction shows it: null if there is none. */
export async function readStatus(
  dispute: Dispute,
  { disputes, transactions }: Pick<Context, 'disputes' | 'transactions'>,
): Promise<DisputeStatus | null> {
  const id = await disputes.read(dispute, (record) => readText(record, 'transactionId'));
  const transaction = await transactions.load(id);
  if (transaction === null) return null;
  return transactions.read(transaction, (record) => statusOf(dispute.id, readTrail(record)));
}

function statusOf(id: string, trail: readonly TrailEntry[]): DisputeStatus {
  for (const { raw } of trail) {
    const { dispute } = raw;
    if (!isObject(dispute) || dispute.id !== id) continue;
    const [isWon, isLost] = [isFlagged(dispute, 'won'), isFlagged(dispute, 'lost')];
    if (isWon !== isLost) return isWon ? 'WON' : 'LOST';
  }
  return 'OPEN';
}
