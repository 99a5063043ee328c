import { builder } from '../../schema/builder.ts';
import { implementNode, NodeRef } from '../../schema/node.ts';
import { readId } from '../../schema/node-id.ts';
import { readInstantOrNull, readStringOrNull } from '../../upstream/record.ts';
import { MerchantRef } from '../merchant/merchant.ts';
import { CardDetailsRef } from '../transaction/payment-card.ts';
import type { Card } from './card-source.ts';

/** A saved card. When the service removes saved cards, remove this folder. */
export const CardRef = builder.objectRef<Card>('Card').implement({
  description:
    'A saved card. The payments service has deprecated saved cards: use an earlier transaction as the source instead.',
  interfaces: [NodeRef, CardDetailsRef],
  fields: (t) => ({
    merchant: t.field({
      type: MerchantRef,
      nullable: true,
      description: 'The merchant that saved the card. Null if not reported.',
      resolve: (card, _args, { merchants }) => {
        const id = readStringOrNull(card, 'merchantId');
        return id === null ? null : merchants.load(id);
      },
    }),
    createdAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the card was saved. Null if not reported.',
      resolve: (card) => readInstantOrNull(card, 'created'),
    }),
  }),
});

implementNode(CardRef, 'crd', (id, { cards }) => cards.load(id));

builder.queryField('card', (t) =>
  t.field({
    type: CardRef,
    nullable: true,
    deprecationReason:
      'The payments service has deprecated saved cards. Use an earlier transaction. Removal not before 2027-06-01.',
    description: 'A saved card by its id. Null if it does not exist.',
    args: {
      id: t.arg.id({ required: true, description: 'A node id or a `rawId`.' }),
    },
    resolve: (_root, { id }, { cards }) => cards.load(readId('crd', id)),
  }),
);
