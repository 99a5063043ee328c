import { expect } from 'vitest';
import type { Ask } from '../support/ask.ts';

/** A record as the service shows it. */
interface Shown {
  readonly id: string;
  readonly successful?: unknown;
  readonly trail?: readonly {
    readonly capture?: unknown;
    readonly refund?: unknown;
    readonly dispute?: { readonly id: string; readonly won?: unknown; readonly lost?: unknown };
    readonly amount: number;
    readonly created: string;
    readonly lineId?: string;
  }[];
  readonly payout?: unknown;
  readonly transactionId?: string | null;
}

/** What the records of a merchant show that happened, each as `KIND subject`. */
export function happenedOf(records: Readonly<Record<'txn' | 'lin' | 'dsp' | 'frd', Shown[]>>) {
  const isSet = (flag: unknown) => flag === true || flag === 'yes';
  const trails = records.txn.flatMap(({ id, successful, trail = [] }) => [
    `TRANSACTION_${isSet(successful) ? 'CREATED' : 'DECLINED'} ${id}`,
    ...trail.flatMap(({ capture, refund, dispute, amount, created }) => {
      if (dispute !== undefined) {
        const { won, lost } = dispute;
        return [
          `DISPUTE_OPENED ${dispute.id}`,
          ...(isSet(won) ? [`DISPUTE_WON ${dispute.id}`] : []),
          ...(isSet(lost) ? [`DISPUTE_LOST ${dispute.id}`] : []),
        ];
      }
      const kind = isSet(capture) ? 'CAPTURED' : isSet(refund) ? 'REFUNDED' : 'VOIDED';
      return [`TRANSACTION_${kind} ${id} ${amount} ${created}`];
    }),
  ]);
  const others = [
    ...records.dsp.map(({ id }) => `DISPUTE_OPENED ${id}`),
    ...records.frd.map(({ id }) => `FRAUD_ALERT_RECEIVED ${id}`),
    ...records.lin
      .filter(({ transactionId }) => transactionId == null)
      .map(({ id, payout }) => `${isSet(payout) ? 'PAYOUT_SENT' : 'BALANCE_CHANGED'} ${id}`),
  ];
  // A dispute is in two lists.
  const disputes = [...trails, ...others].filter((one) => one.startsWith('DISPUTE'));
  const rest = [...trails, ...others].filter((one) => !one.startsWith('DISPUTE'));
  return [...rest, ...new Set(disputes)].sort();
}

/** What {@link toldOf} needs of an event. */
export const EVENT_FIELDS = `seq kind transaction { rawId } line { rawId } dispute { rawId }
  fraudAlert { rawId } trailEntry { createdAt amount { minorUnits } }`;

interface RawId {
  readonly rawId: string;
}

/** An event, with {@link EVENT_FIELDS}. */
export interface EventNode {
  readonly seq: number;
  readonly kind: string;
  readonly transaction: RawId | null;
  readonly line: RawId | null;
  readonly dispute: RawId | null;
  readonly fraudAlert: RawId | null;
  readonly trailEntry: {
    readonly createdAt: string;
    readonly amount: { readonly minorUnits: number };
  } | null;
}

/** What an event tells, as `KIND subject`. */
export function toldOf({ kind, ...event }: EventNode): string {
  const { transaction, line, dispute, fraudAlert, trailEntry } = event;
  const entry =
    trailEntry === null || dispute !== null
      ? []
      : [trailEntry.amount.minorUnits, trailEntry.createdAt];
  const subject = dispute ?? fraudAlert ?? transaction ?? line;
  return [kind, subject?.rawId, ...entry].join(' ');
}

const EVENTS = `query ($id: ID!, $after: String) { merchant(id: $id) {
  events(first: 7, after: $after) { edges { node { ${EVENT_FIELDS} } }
    pageInfo { hasNextPage endCursor } } } }`;

/** Everything that a merchant's feed tells, read page by page, each as `KIND subject`. */
export async function readTold(ask: Ask, merchant: string): Promise<string[]> {
  const told: string[] = [];
  for (let after: string | null = null; ; ) {
    const { data, errors } = await ask(EVENTS, { id: merchant, after });
    expect(errors).toBeUndefined();
    const { edges, pageInfo } = data.merchant.events;
    for (const { node } of edges) {
      expect(node.seq).toBe(told.length + 1);
      told.push(toldOf(node));
    }
    if (!pageInfo.hasNextPage) return told.sort();
    after = pageInfo.endCursor;
  }
}
