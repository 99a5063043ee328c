import { builder } from '../graphql/builder.ts';
import { type RestRecord, readInstantOrNull, readTextOrNull } from '../rest/record.ts';

/** What a transaction shows of the card it was paid with. */
export type PaymentCard = Omit<RestRecord<'bin' | 'last4' | 'expiry' | 'scheme'>, 'id'>;

export const CardScheme = builder.enumType('CardScheme', {
  description: 'The scheme of a card.',
  values: {
    VISA: { description: 'Visa.' },
    MASTERCARD: { description: 'Mastercard.' },
    OTHER: { description: 'One that this gateway does not know; see `schemeName`.' },
  },
});

/** The scheme as the graph names it; null when the service names none. */
export function toScheme(name: string | null): typeof CardScheme.$inferType | null {
  if (name === null) return null;
  const known = name.toLowerCase();
  if (known === 'visa') return 'VISA';
  return known === 'mastercard' ? 'MASTERCARD' : 'OTHER';
}

export const PaymentCardRef = builder.objectRef<PaymentCard>('PaymentCard').implement({
  description: 'The card that a transaction was paid with, as far as it may be shown.',
  fields: (t) => ({
    bin: t.string({
      nullable: true,
      description: 'First six digits of the number; null when unknown.',
      resolve: (card) => readTextOrNull(card, 'bin'),
    }),
    last4: t.string({
      nullable: true,
      description: 'Last four digits of the number; null when unknown.',
      resolve: (card) => readTextOrNull(card, 'last4'),
    }),
    expiry: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'The card is good until then; show month and year, in UTC. Null when unknown.',
      resolve: (card) => readInstantOrNull(card, 'expiry'),
    }),
    scheme: t.field({
      type: CardScheme,
      nullable: true,
      description: 'The scheme of the card; null when unknown.',
      resolve: (card) => toScheme(readTextOrNull(card, 'scheme')),
    }),
    schemeName: t.string({
      nullable: true,
      description: 'The scheme as received; tells what `OTHER` is.',
      resolve: (card) => readTextOrNull(card, 'scheme'),
    }),
  }),
});
