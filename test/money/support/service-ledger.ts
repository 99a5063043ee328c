import { expect } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { type AnyRecord, openShop } from '../../sandbox/shop.ts';
import { type Movement, movements } from './money-client.ts';

/** One entry in the trail of a transaction. */
export interface LedgerEntry {
  readonly kind: Movement;
  /** Minor units. */
  readonly amount: number;
}

/** What the payments service itself has recorded, read and written without a gateway. */
export interface ServiceLedger {
  /** Node id of the demo merchant whose transactions these are. */
  readonly merchantId: string;
  /**
   * Creates a transaction of 1000 euro cents, and captures all of it if it is to be refunded.
   * Returns its node id.
   */
  createTransaction(movement: Movement): Promise<string>;
  /** All entries of a transaction, oldest first. Fails if its totals are not their sums. */
  entries(transactionId: string): Promise<LedgerEntry[]>;
}

/** Opens the ledger of a sandbox. */
export async function openServiceLedger(sandbox: Sandbox): Promise<ServiceLedger> {
  const shop = await openShop(sandbox);
  return {
    merchantId: `mer_${shop.id}`,
    createTransaction: async (movement) => {
      const { id } = await shop.charge(1000);
      if (movement === 'refund') await shop.move('captures', id, { amount: 1000 });
      return `txn_${id}`;
    },
    entries: async (transactionId) => {
      const { body } = await shop.payments.get(`/transactions/${toRawId(transactionId)}`);
      const entries = body.transaction.trail.map(toEntry);
      expectTotals(body.transaction, entries);
      return entries;
    },
  };
}

/** The id that the service itself uses, of a node id of the graph. */
export function toRawId(transactionId: string): string {
  return transactionId.replace(/^txn_/, '');
}

function toEntry(entry: AnyRecord): LedgerEntry {
  const kind = movements.find((movement) => movement in entry);
  if (kind === undefined) throw new Error(`not a movement: ${JSON.stringify(entry)}`);
  return { kind, amount: entry.amount };
}

function expectTotals(transaction: AnyRecord, entries: readonly LedgerEntry[]): void {
  const total = (movement: Movement) =>
    entries.reduce((sum, { kind, amount }) => (kind === movement ? sum + amount : sum), 0);
  expect(transaction).toMatchObject({
    pendingAmount: transaction.amount - total('capture') - total('void'),
    capturedAmount: total('capture'),
    refundedAmount: total('refund'),
    voidedAmount: total('void'),
  });
}
