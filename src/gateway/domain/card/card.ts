import { builder } from '../../schema/builder.ts';
import { resultType } from '../../schema/mutation-error.ts';
import { implementNode, NodeRef } from '../../schema/node.ts';
import { readId } from '../../schema/node-id.ts';
import { toResult } from '../../schema/to-result.ts';
import { readInstantOrNull, readStringOrNull } from '../../upstream/record.ts';
import { MerchantRef } from '../merchant/merchant.ts';
import { CardDetailsRef } from '../transaction/payment-card.ts';
import type { Card } from './card-source.ts';

/** A saved card. When the service removes saved cards, remove this folder. */
const CardRef = builder.objectRef<Card>('Card').implement({
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

interface Saved {
  readonly __typename: 'SaveCardSuccess';
  readonly cardId: string;
}

const SaveCardSuccess = builder.objectRef<Saved>('SaveCardSuccess').implement({
  description: 'The card was saved.',
  fields: (t) => ({
    card: t.field({
      type: CardRef,
      nullable: true,
      description:
        'The saved card. Null only if it could not be read afterwards; the card was saved.',
      resolve: ({ cardId }, _args, { cards }) => cards.load(cardId),
    }),
  }),
});

const SaveCardInput = builder.inputType('SaveCardInput', {
  description: 'The transaction whose card is saved.',
  fields: (t) => ({
    merchantId: t.id({
      required: true,
      description: 'The merchant: a node id or a `rawId`.',
    }),
    transactionId: t.id({
      required: true,
      description: 'A successful transaction of the merchant: a node id or a `rawId`.',
    }),
    notes: t.string({ description: 'Notes to store with the card, up to 1000 characters.' }),
  }),
});

builder.mutationField('saveCard', (t) =>
  t.field({
    type: resultType('SaveCard', SaveCardSuccess),
    nullable: true,
    deprecationReason:
      'The payments service has deprecated saved cards. Use `createTransaction` with an earlier transaction as the source. Removal not before 2027-06-01.',
    description: 'Saves the card of a transaction.',
    args: {
      input: t.arg({
        type: SaveCardInput,
        required: true,
        description: 'The transaction whose card is saved.',
      }),
    },
    resolve: (_root, { input }, { cards }) => {
      const merchantId = readId('mer', input.merchantId, 'input.merchantId');
      const transactionId = readId('txn', input.transactionId, 'input.transactionId');
      return toResult(
        cards
          .save(merchantId, { transactionId, ...(input.notes ? { notes: input.notes } : {}) })
          .then((cardId) => ({ __typename: 'SaveCardSuccess' as const, cardId })),
      );
    },
  }),
);
