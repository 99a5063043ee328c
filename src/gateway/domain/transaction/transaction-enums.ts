import { builder } from '../../schema/builder.ts';

/** An action on a transaction. */
export const TransactionActionRef = builder.enumType('TransactionAction', {
  description: 'An action on a transaction: a capture, a refund or a void.',
  values: {
    CAPTURE: { description: 'Capture a reserved amount with `Mutation.captureTransaction`.' },
    REFUND: { description: 'Refund a captured amount with `Mutation.refundTransaction`.' },
    VOID: { description: 'Release a reserved amount with `Mutation.voidTransaction`.' },
  },
});

/** The state of a transaction. */
export const TransactionStateRef = builder.enumType('TransactionState', {
  description:
    'The state of a transaction. If several values apply, the state is the first of DECLINED, VOIDED, EXPIRED, AUTHORIZED, REFUNDED, PARTIALLY_REFUNDED, PARTIALLY_CAPTURED, CAPTURED. `availableActions` contains the actions that are still possible.',
  values: {
    DECLINED: { description: 'The payment was declined. No amount was reserved.' },
    AUTHORIZED: { description: 'An amount is reserved, and nothing has been captured.' },
    PARTIALLY_CAPTURED: {
      description:
        'Part of the amount was captured, part is still reserved, and nothing was refunded.',
    },
    CAPTURED: {
      description: 'An amount was captured, and nothing is still reserved or was refunded.',
    },
    PARTIALLY_REFUNDED: { description: 'Part of the captured amount was refunded.' },
    REFUNDED: { description: 'The full captured amount was refunded.' },
    VOIDED: { description: 'The full amount was released without a capture.' },
    EXPIRED: {
      description:
        'Nothing was captured, and the reservation ended although not all of the amount was voided.',
    },
  },
});

/** The schemes that the API knows; OTHER for all others. */
export type CardScheme = 'VISA' | 'MASTERCARD' | 'OTHER';

/** The scheme that a service names; null if it names none. */
export function toScheme(name: string | null): CardScheme | null {
  if (name === null) return null;
  const known = name.toLowerCase();
  if (known === 'visa') return 'VISA';
  return known === 'mastercard' ? 'MASTERCARD' : 'OTHER';
}
