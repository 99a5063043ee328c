import fc from 'fast-check';
import type { Wire } from './ledger-service.ts';

/** A movement of a modelled payment. */
export interface Movement {
  readonly kind: 'capture' | 'refund' | 'void';
  readonly amount: number;
}

/** A payment as a test knows it, apart from how the service reports it. */
export interface Payment {
  readonly id: string;
  readonly created: number;
  readonly currency: string;
  readonly amount: number;
  readonly declined: boolean;
  readonly expired: boolean;
  readonly movements: readonly Movement[];
  readonly dispute: 'none' | 'open' | 'won' | 'lost';
  readonly recurring: boolean;
  readonly last4: string;
  readonly bin: string;
  readonly scheme: string;
  readonly descriptor: string;
  readonly custom: Readonly<Record<string, unknown>> | null;
}

export const exponents: Readonly<Record<string, number>> = { EUR: 2, JPY: 0, KWD: 3 };
export const HOUR = 3_600_000;
export const START = Date.UTC(2026, 9, 24);

const sum = (movements: readonly Movement[], kind: Movement['kind']) =>
  movements.filter((one) => one.kind === kind).reduce((total, { amount }) => total + amount, 0);

/** The totals of a payment. */
export function totals({ movements, amount, expired, declined }: Payment) {
  const [captured, refunded, voided] = [
    sum(movements, 'capture'),
    sum(movements, 'refund'),
    sum(movements, 'void'),
  ];
  const pending = expired || declined ? 0 : amount - captured - voided;
  return { captured, refunded, voided, pending };
}

/** The state of a payment, from what happened to it. */
export function stateOfPayment(payment: Payment): string {
  const { captured, refunded, voided, pending } = totals(payment);
  if (payment.declined) return 'DECLINED';
  if (captured === 0 && pending > 0) return 'AUTHORIZED';
  if (captured === 0) return voided === payment.amount ? 'VOIDED' : 'EXPIRED';
  if (refunded === captured) return 'REFUNDED';
  if (refunded > 0) return 'PARTIALLY_REFUNDED';
  return pending > 0 ? 'PARTIALLY_CAPTURED' : 'CAPTURED';
}

/** The record of a payment. Specification: payments, "Transaction". */
export function toWire(payment: Payment, merchantId: string): Wire {
  const { id, amount, currency, declined, dispute, movements } = payment;
  const { captured, refunded, voided, pending } = totals(payment);
  const created = new Date(payment.created).toISOString();
  const outcome = dispute === 'won' || dispute === 'lost' ? { [dispute]: true } : {};
  return {
    ...{ id, merchantId, test: true, created, currency, amount },
    ...{ pendingAmount: pending, capturedAmount: captured, refundedAmount: refunded },
    ...{ voidedAmount: voided, disputedAmount: dispute === 'lost' ? captured : 0 },
    ...{ descriptor: payment.descriptor, custom: payment.custom, recurring: payment.recurring },
    card: { bin: payment.bin, last4: payment.last4, scheme: payment.scheme },
    ...{ successful: !declined, error: declined ? { code: 1 } : false },
    trail: [
      ...movements.map(({ kind, amount: moved }) => ({ [kind]: true, amount: moved, created })),
      ...(dispute === 'none'
        ? []
        : [{ dispute: { id: `d${id}`, ...outcome }, amount: 0, created }]),
    ],
  };
}

/** A payment to which nothing has happened. */
export const plain: Payment = {
  ...{ id: '6b', created: START, currency: 'EUR', amount: 1000, declined: false, expired: false },
  ...{ movements: [], dispute: 'none', recurring: false, last4: '4242', bin: '410000' },
  ...{ scheme: 'visa', descriptor: 'SHOP', custom: null },
};

const word = fc.constantFrom('Order', 'ORD-17', 'käse', 'a 1234 b', 'Visit', '10.00', '');

const custom = fc.oneof(
  fc.constant(null),
  fc.record({ order: word }),
  fc.record({
    order: word,
    cart: fc.record({ lines: fc.array(fc.record({ sku: word }), { maxLength: 2 }) }),
  }),
  fc.record({ n: fc.constantFrom(1, 2, true, null) }),
);

/** What can happen to a payment, in an order that the service allows. */
const story = fc.record({
  amount: fc.constantFrom(1000, 1234, 1234567, 50, 100_000),
  parts: fc.array(
    fc.record({
      kind: fc.constantFrom('capture', 'refund', 'void'),
      share: fc.constantFrom(0.3, 1),
    }),
    {
      maxLength: 4,
    },
  ),
  declined: fc.boolean(),
  expired: fc.boolean(),
  dispute: fc.constantFrom('none', 'none', 'open', 'won', 'lost'),
});

type Story = typeof story extends fc.Arbitrary<infer T> ? T : never;

function tell({ amount, parts, declined, expired, dispute }: Story) {
  const movements: Movement[] = [];
  for (const { kind, share } of declined ? [] : parts) {
    const [captured, refunded, voided] = [
      sum(movements, 'capture'),
      sum(movements, 'refund'),
      sum(movements, 'void'),
    ];
    const most = kind === 'refund' ? captured - refunded : amount - captured - voided;
    const moved = Math.floor(most * share);
    if (moved > 0) movements.push({ kind: kind as Movement['kind'], amount: moved });
  }
  const isDisputed = sum(movements, 'capture') > 0;
  return {
    ...{ amount, movements, declined, expired: expired && !declined },
    dispute: (isDisputed ? dispute : 'none') as Payment['dispute'],
  };
}

/** Payments, newest first. */
export const payments: fc.Arbitrary<Payment[]> = fc
  .array(
    fc.record({
      story,
      gap: fc.constantFrom(0, HOUR, 24 * HOUR),
      currency: fc.constantFrom(...Object.keys(exponents)),
      recurring: fc.boolean(),
      last4: fc.constantFrom('1234', '0000', '4242'),
      bin: fc.constantFrom('410000', '520000'),
      scheme: fc.constantFrom('visa', 'mastercard', 'dankort'),
      descriptor: word,
      custom,
    }),
    { maxLength: 40, size: 'max' },
  )
  .map((drawn) => {
    let created = START;
    const oldestFirst = drawn.map(({ gap, story: told, ...rest }, index) => {
      created += gap;
      const id = `6a${String(index).padStart(22, '0')}`;
      return { id, created, ...rest, ...tell(told) };
    });
    return oldestFirst.reverse();
  });
