import { builder } from '../../schema/builder.ts';
import { type RestRecord, readInstantOrNull, readStringOrNull } from '../../upstream/record.ts';
import { toScheme } from './transaction-enums.ts';

/** The card of a transaction as the service sends it: a part of the transaction, without an id. */
export type PaymentCard = Omit<RestRecord<'bin' | 'last4' | 'expiry' | 'scheme'>, 'id'>;

/** The scheme of a card. */
export const CardSchemeRef = builder.enumType('CardScheme', {
  description: 'The scheme of a card.',
  values: {
    VISA: { description: 'Visa.' },
    MASTERCARD: { description: 'Mastercard.' },
    OTHER: { description: 'A scheme without a value in this enum. See `schemeName`.' },
  },
});

/** The card details that every card type has. */
export const CardDetailsRef = builder.interfaceRef<PaymentCard>('CardDetails').implement({
  description: 'The details of a card. Never contains the full card number.',
  fields: (t) => ({
    bin: t.string({
      nullable: true,
      description: 'First six digits of the card number. Null if not reported.',
      resolve: (card) => readStringOrNull(card, 'bin'),
    }),
    last4: t.string({
      nullable: true,
      description: 'Last four digits of the card number. Null if not reported.',
      resolve: (card) => readStringOrNull(card, 'last4'),
    }),
    expiryMonth: t.int({
      nullable: true,
      description: 'The last month in which the card is valid, 1 to 12. Null if not reported.',
      resolve: (card) => expiryOf(card, (expiry) => expiry.getUTCMonth() + 1),
    }),
    expiryYear: t.int({
      nullable: true,
      description: 'The year of `expiryMonth`, with four digits. Null if not reported.',
      resolve: (card) => expiryOf(card, (expiry) => expiry.getUTCFullYear()),
    }),
    expiry: t.field({
      type: 'DateTime',
      nullable: true,
      deprecationReason: 'Use `expiryMonth` and `expiryYear`.',
      description:
        'When the card expires. Display the month and the year, in UTC. Null if not reported.',
      resolve: (card) => readInstantOrNull(card, 'expiry'),
    }),
    scheme: t.field({
      type: CardSchemeRef,
      nullable: true,
      description: 'Scheme of the card. Null if not reported.',
      resolve: (card) => toScheme(readStringOrNull(card, 'scheme')),
    }),
    schemeName: t.string({
      nullable: true,
      description:
        'Name of the scheme as reported by the service, including schemes without a value in `CardScheme`. Null if not reported.',
      resolve: (card) => readStringOrNull(card, 'scheme'),
    }),
  }),
});

function expiryOf(card: PaymentCard, read: (expiry: Date) => number): number | null {
  const expiry = readInstantOrNull(card, 'expiry');
  return expiry && read(expiry);
}

/** The card of a transaction. */
export const PaymentCardRef = builder.objectRef<PaymentCard>('PaymentCard').implement({
  description: 'The card of a transaction. Never contains the full card number.',
  interfaces: [CardDetailsRef],
});
