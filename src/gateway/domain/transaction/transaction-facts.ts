import type { Fact } from '../../events/fact.ts';
import { without } from '../../money/engine/snapshot.ts';
import { isFlagged, isObject, readInstant } from '../../upstream/record.ts';
import { toSnapshotEntries } from './money/trail-snapshot.ts';
import { readTrail, type TrailEntry } from './trail.ts';
import { isSuccessful, type Transaction } from './transaction-source.ts';

const kinds = {
  CAPTURE: 'TRANSACTION_CAPTURED',
  REFUND: 'TRANSACTION_REFUNDED',
  VOID: 'TRANSACTION_VOIDED',
} as const;

/**
 * What a transaction shows that it did not show before. Entries of its trail are told apart as money
 * operations tell them apart: by the line, else by kind, amount and time, never by their order.
 */
export function factsOf(transaction: Transaction, before: Transaction | undefined): Fact[] {
  const ofTransaction = { transaction: transaction.id, item: null, entry: null };
  const made = {
    ...ofTransaction,
    kind: isSuccessful(transaction) ? 'TRANSACTION_CREATED' : 'TRANSACTION_DECLINED',
    subject: transaction.id,
    happened: readInstant(transaction, 'created'),
  };
  const trail = readTrail(transaction);
  const entries = toSnapshotEntries(transaction);
  const known = before === undefined ? [] : toSnapshotEntries(before);
  const added = without(entries, known).flatMap((entry): Fact[] => {
    const found = trail[entries.indexOf(entry)];
    if (entry.kind === null || found === undefined) return [];
    const { line, properties } = entry;
    const item = line === null ? null : { kind: 'lin', id: line };
    const subject = line ?? properties;
    return [{ ...entryOf(found, ofTransaction), kind: kinds[entry.kind], subject, item }];
  });
  const disputes = new Set(before === undefined ? [] : disputeFacts(before).map(keyOf));
  return [
    ...(before === undefined ? [made] : []),
    ...added,
    ...disputeFacts(transaction).filter((fact) => !disputes.has(keyOf(fact))),
  ];
}

const keyOf = ({ kind, subject }: Fact) => `${kind} ${subject}`;

const entryOf = ({ raw }: TrailEntry, fact: Pick<Fact, 'transaction'>) => ({
  ...fact,
  entry: raw,
  happened: readInstant(raw, 'created'),
});

/** What the trail shows of disputes. Their outcome appears in an entry that was there before. */
function disputeFacts(transaction: Transaction): Fact[] {
  return readTrail(transaction).flatMap((found): Fact[] => {
    const { dispute } = found.raw;
    if (!isObject(dispute) || typeof dispute.id !== 'string') return [];
    const subject = dispute.id;
    const fact = {
      ...entryOf(found, { transaction: transaction.id }),
      subject,
      item: { kind: 'dsp', id: subject },
    };
    return [
      { ...fact, kind: 'DISPUTE_OPENED' },
      ...(isFlagged(dispute, 'won') ? [{ ...fact, kind: 'DISPUTE_WON' }] : []),
      ...(isFlagged(dispute, 'lost') ? [{ ...fact, kind: 'DISPUTE_LOST' }] : []),
    ];
  });
}
