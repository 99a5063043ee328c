import type { AnyRecord } from '../../sandbox/shop.ts';
import type { Answer } from '../../support/ask.ts';
import { newKey } from '../../support/new-key.ts';
import { rest } from '../../support/rest.ts';
import { findOperation, submit } from './money-client.ts';
import type { ProxiedGateway } from './proxied-gateway.ts';

/** Input of `createTransaction`, with a reference by which the service's list shows its copies. */
export interface CreateInput {
  readonly merchantId: string;
  readonly source: { readonly transactionId: string };
  readonly amount: { readonly minorUnits: number; readonly currency: string };
  readonly custom: { readonly reference: string };
  readonly idempotencyKey: string;
}

/** Creates transactions of one merchant through a gateway, and reads the service without it. */
export interface MerchantClient {
  /** New input. The last digits of the source's card decide whether the payment succeeds. */
  newInput(last4?: string): CreateInput;
  /** Creates a transaction through the gateway. */
  create(input: object): Promise<Answer['data']>;
  /** Finds the operation with the key of an input, through the gateway. */
  findOperation(input: Pick<CreateInput, 'idempotencyKey'>): Promise<Answer['data']>;
  /** The transactions that the service has created from an input. */
  created(input: Pick<CreateInput, 'custom'>): Promise<AnyRecord[]>;
  /** Creates a transaction at the service, without a gateway. */
  createDirectly(custom: object): Promise<unknown>;
  /** The service's list of transactions for a query string. */
  list(query: string): Promise<AnyRecord[]>;
}

/** Opens the client of a merchant behind a proxied gateway. */
export async function openMerchantClient(
  { ask, direct }: ProxiedGateway,
  merchant: { readonly id: string; readonly rawId: string },
): Promise<MerchantClient> {
  const { paymentsUrl, demoApp } = direct.sandbox;
  const payments = rest(paymentsUrl, demoApp.key);
  const path = `/merchants/${merchant.rawId}/transactions`;
  const list = async (query: string) => (await payments.get(`${path}?${query}`)).body;
  const successful: AnyRecord[] = await list('limit=1000&filter[successful]=y');
  const sourceWith = (last4: string): string =>
    successful.findLast(({ card }) => card.last4 === last4).id;

  return {
    newInput: (last4 = '0000') => ({
      merchantId: merchant.id,
      source: { transactionId: sourceWith(last4) },
      amount: { minorUnits: 1990, currency: 'EUR' },
      custom: { reference: newKey() },
      idempotencyKey: newKey(),
    }),
    create: (input) => submit(ask, 'create', input),
    findOperation: ({ idempotencyKey }) => findOperation(ask, merchant.id, idempotencyKey),
    created: async ({ custom }) => {
      const listed: AnyRecord[] = await list('limit=100');
      return listed.filter((each) => each.custom?.reference === custom.reference);
    },
    createDirectly: (custom) =>
      payments.post(path, {
        transactionId: sourceWith('0000'),
        currency: 'EUR',
        amount: 5,
        custom,
      }),
    list,
  };
}
