import { expect } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { type AnyRecord, openShop } from '../sandbox/shop.ts';
import type { Movement } from './movement.ts';

/** One movement in the books of the service. */
export interface Entry {
  readonly kind: Movement;
  readonly amount: number;
}

const kinds = ['capture', 'refund', 'void'] as const;

/** The books of the service itself, read and written past every gateway. */
export async function openBooks(sandbox: Sandbox) {
  const shop = await openShop(sandbox);

  /** All movements of a transaction; fails where its counters are not their sums. */
  async function entries(id: string): Promise<Entry[]> {
    const { transaction } = (await shop.payments.get(`/transactions/${rawOf(id)}`)).body;
    const found: Entry[] = transaction.trail.map((entry: AnyRecord) => ({
      kind: kinds.find((kind) => kind in entry),
      amount: entry.amount,
    }));
    const of = (movement: Movement) =>
      found.reduce((sum, { kind, amount }) => (kind === movement ? sum + amount : sum), 0);
    const { amount, pendingAmount, capturedAmount, refundedAmount, voidedAmount } = transaction;
    expect({ pendingAmount, capturedAmount, refundedAmount, voidedAmount }).toEqual({
      pendingAmount: amount - of('capture') - of('void'),
      capturedAmount: of('capture'),
      refundedAmount: of('refund'),
      voidedAmount: of('void'),
    });
    return found;
  }

  return {
    merchantId: `mer_${shop.id}`,
    /** A fresh transaction of 1000 euro cents; of which all is captured, for a refund. */
    charge: async (movement: Movement): Promise<string> => {
      const { id } = await shop.charge(1000);
      if (movement === 'refund') await shop.move('captures', id, { amount: 1000 });
      return `txn_${id}`;
    },
    entries,
  };
}

/** The books of a service. */
export type Books = Awaited<ReturnType<typeof openBooks>>;

function rawOf(id: string): string {
  return id.replace(/^txn_/, '');
}
