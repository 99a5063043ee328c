import type { FeedEvent } from '../../events/feed.ts';
import { toNodeId } from '../../schema/node-id.ts';

/**
 * What a webhook says of an event: what happened, to which records, and when. Everything else is in
 * the graph, for those who may see it. `type` is the kind, as Standard Webhooks writes it.
 */
export function toWebhookBody(event: FeedEvent): object {
  const { id, merchant, seq, kind, happened, seen, transaction, itemKind, item, entry } = event;
  const isOf = (wanted: string) => (itemKind === wanted && item !== null ? item : null);
  const node = (nodeKind: string, rawId: string | null) => rawId && toNodeId(nodeKind, rawId);
  return {
    type: kind.toLowerCase().replace(/_(?=[^_]*$)/, '.'),
    timestamp: seen.toISOString(),
    data: {
      eventId: toNodeId('evt', id),
      merchantId: toNodeId('mer', merchant),
      seq,
      kind,
      happenedAt: happened?.toISOString() ?? null,
      transactionId: node('txn', transaction),
      lineId: node('lin', isOf('lin')),
      disputeId: node('dsp', isOf('dsp')),
      fraudAlertId: node('frd', isOf('frd')),
      moneyOperationId: node('mop', isOf('mop')),
      ...amountOf(event, entry),
    },
  };
}

/** A message that tests an endpoint. */
export function toTestBody(merchant: string): object {
  const data = { merchantId: toNodeId('mer', merchant) };
  return { type: 'test', timestamp: new Date().toISOString(), data };
}

/** The amount of the entry or of the transaction, in minor units of its currency. */
function amountOf({ transactionRecord, itemKind }: FeedEvent, entry: string | null) {
  const record = transactionRecord === null ? null : JSON.parse(transactionRecord);
  const { amount } =
    (entry === null ? (itemKind === null ? record : null) : JSON.parse(entry)) ?? {};
  const currency = record?.currency;
  return Number.isSafeInteger(amount) && typeof currency === 'string'
    ? { amount: { minorUnits: amount, currency } }
    : { amount: null };
}
