import { builder } from '../../schema/builder.ts';
import { isFlagged, isObject } from '../../upstream/record.ts';
import type { Line } from './line-source.ts';

/** What changed a merchant's balance. */
export const LineKindRef = builder.enumType('LineKind', {
  description: "What changed a merchant's balance.",
  values: {
    CAPTURE: { description: 'A capture of a transaction.' },
    REFUND: { description: 'A refund of a transaction.' },
    DISPUTE: { description: 'A dispute: its opening, or its outcome.' },
    PAYOUT: { description: "A payout to the merchant's bank account." },
    OTHER: {
      description: 'Another change in the balance, or a change of a kind that is not reported.',
    },
  },
});

/** The kinds, in the order of the rows of a report. */
export const LINE_KINDS = ['CAPTURE', 'REFUND', 'DISPUTE', 'PAYOUT', 'OTHER'] as const;

/** What changed a merchant's balance. */
export type LineKind = typeof LineKindRef.$inferType;

/** The kind of a line. Specification: payments, "Line". */
export function lineKindOf(line: Line): LineKind {
  if (isObject(line.dispute) || isFlagged(line, 'dispute')) return 'DISPUTE';
  if (isFlagged(line, 'capture')) return 'CAPTURE';
  if (isFlagged(line, 'refund')) return 'REFUND';
  return isFlagged(line, 'payout') ? 'PAYOUT' : 'OTHER';
}
