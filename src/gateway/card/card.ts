import { builder } from '../graphql/builder.ts';
import { implementNode, NodeRef } from '../graphql/node.ts';
import { readId } from '../graphql/node-id.ts';
import { MerchantRef } from '../merchant/merchant.ts';
import { readInstantOrNull, readTextOrNull } from '../rest/record.ts';
import { CardScheme, toScheme } from '../transaction/payment-card.ts';
import type { Card } from './card-source.ts';

/** A saved card. The whole folder goes when the service drops them. */
export const CardRef = builder.objectRef<Card>('Card').implement({
  description:
    'A saved card. Deprecated by the payments service: charge again from a previous transaction instead.',
  interfaces: [NodeRef],
  fields: (t) => ({
    merchant: t.field({
      type: MerchantRef,
      nullable: true,
      description: 'The merchant it was saved for; null when the service does not tell.',
      resolve: (card, _args, { merchants }) => {
        const id = readTextOrNull(card, 'merchantId');
        return id === null ? null : merchants.load(id);
      },
    }),
    createdAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it was saved; null when the service does not tell.',
      resolve: (card) => readInstantOrNull(card, 'created'),
    }),
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

implementNode(CardRef, 'crd', (id, { cards }) => cards.load(id));

builder.queryField('card', (t) =>
  t.field({
    type: CardRef,
    nullable: true,
    deprecationReason:
      'Saved cards are deprecated by the payments service. Use a previous transaction. Removal not before 2027-06-01.',
    description: 'One saved card; null when there is none.',
    args: { id: t.arg.id({ required: true, description: "A node id, or the service's own id." }) },
    resolve: (_root, { id }, { cards }) => cards.load(readId('crd', id)),
  }),
);
