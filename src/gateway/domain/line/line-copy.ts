import type { CopiedList, Narrowing } from '../../replica/copied-list.ts';
import { readId } from '../../schema/node-id.ts';
import { path } from '../../upstream/path.ts';
import { readInstant, readInteger, readStringOrNull } from '../../upstream/record.ts';
import { lineKindOf } from './line.ts';
import type { LineFilter } from './line-filter.ts';
import type { Line } from './line-source.ts';

/** How the replica copies lines. */
export const lineCopy: CopiedList<Line> = {
  kind: 'lin',
  name: 'lines',
  path: (merchantId) => path`/merchants/${merchantId}/lines`,
  columns: (line) => ({
    created: readInstant(line, 'created'),
    amount: readInteger(line, 'balance'),
    labels: [`kind:${lineKindOf(line)}`, `transaction:${readStringOrNull(line, 'transactionId')}`],
    words: [],
    sums: [readInteger(line, 'balance')],
  }),
  changes: (line) => (typeof line.transactionId === 'string' ? line.transactionId : null),
  // The trail of its transaction tells of the others.
  facts: (line, before) =>
    before !== undefined || readStringOrNull(line, 'transactionId') !== null
      ? []
      : [
          {
            kind: lineKindOf(line) === 'PAYOUT' ? 'PAYOUT_SENT' : 'BALANCE_CHANGED',
            subject: line.id,
            happened: readInstant(line, 'created'),
            transaction: null,
            item: { kind: 'lin', id: line.id },
            entry: null,
          },
        ],
};

/** What lets through every line that a filter can match. */
export function narrowingOf({
  createdAt,
  kind,
  transactionId,
  balanceChange,
}: LineFilter): Narrowing {
  return {
    created: createdAt,
    amount: balanceChange,
    labels: [
      ...(kind == null ? [] : [kind.map((one) => `kind:${one}`)]),
      ...(transactionId == null
        ? []
        : [[`transaction:${readId('txn', transactionId, 'filter.transactionId')}`]]),
    ],
    texts: [],
    isExact: true,
  };
}
