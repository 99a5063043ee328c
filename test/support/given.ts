import { newKey } from './new-key.ts';
import type { Stack } from './start-stack.ts';

interface Merchant {
  readonly id: string;
  readonly rawId: string;
}

/** Finds and creates the records that tests need, through the gateway. */
export function given({ ask }: Pick<Stack, 'ask'>) {
  /** The demo merchant with this funding currency. */
  async function merchant(fundingCurrency = 'EUR'): Promise<Merchant> {
    const { data } = await ask(
      '{ merchants(first: 100) { edges { node { id rawId fundingCurrency } } } }',
    );
    const found = data.merchants.edges.findLast(
      ({ node }: { node: { fundingCurrency: string } }) => node.fundingCurrency === fundingCurrency,
    );
    return found.node;
  }

  /** A new transaction of a demo merchant, with the full amount pending. */
  async function transaction(minorUnits = 1000, currency = 'EUR'): Promise<string> {
    const { id } = await merchant();
    const source = await successful(id);
    const { data } = await ask(
      `mutation ($input: CreateTransactionInput!) {
        createTransaction(input: $input) { ... on CreateTransactionSuccess { transaction { id } } }
      }`,
      {
        input: {
          merchantId: id,
          source: { transactionId: source },
          amount: { minorUnits, currency },
          idempotencyKey: newKey(),
        },
      },
    );
    return data.createTransaction.transaction.id;
  }

  /** A successful payment of a merchant. Later payments can be created from it. */
  async function successful(merchantId: string): Promise<string> {
    return paidWith('0000', merchantId);
  }

  /** A payment of a merchant by the last digits of its card, which determine its outcome. */
  async function paidWith(last4: string, merchantId?: string): Promise<string> {
    const { data } = await ask(
      `query ($id: ID!) {
        merchant(id: $id) { transactions(first: 50) { edges { node { id card { last4 } } } } }
      }`,
      { id: merchantId ?? (await merchant()).id },
    );
    const found = data.merchant.transactions.edges.find(
      ({ node }: { node: { card: { last4: string } } }) => node.card.last4 === last4,
    );
    return found.node.id;
  }

  return { merchant, transaction, successful, paidWith };
}
