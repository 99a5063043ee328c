import { newKey } from '../support/new-key.ts';
import { rest } from '../support/rest.ts';
import type { StackOptions } from '../support/start-stack.ts';
import type { Bench } from './bench.ts';
import { findOperation, submit } from './submit.ts';

/** A gateway that gives up after three reads: the fourth would come after the deadline. */
export const IMPATIENT = { deadlineMs: 4_000 } satisfies StackOptions;

/** A payment that a test wants made, with a mark by which the service's books show its copies. */
export interface Wanted {
  readonly merchantId: string;
  readonly source: { readonly transactionId: string };
  readonly amount: { readonly minorUnits: number; readonly currency: string };
  readonly custom: { readonly reference: string };
  readonly idempotencyKey: string;
}

/** Creates transactions at one merchant through the proxy, and counts them past it. */
export async function creations(bench: Bench, merchant: { id: string; rawId: string }) {
  const { sandbox } = bench.stack;
  const payments = rest(sandbox.paymentsUrl, sandbox.demoApp.key);
  const address = `/merchants/${merchant.rawId}/transactions`;
  const { body } = await payments.get(`${address}?limit=1000&filter[successful]=y`);
  const ending = (last4: string): string =>
    body.findLast((each: { card: { last4: string } }) => each.card.last4 === last4).id;

  return {
    /** By the last digits of the card that it is made with, which tell how it ends. */
    wanted: (last4 = '0000'): Wanted => ({
      merchantId: merchant.id,
      source: { transactionId: ending(last4) },
      amount: { minorUnits: 1990, currency: 'EUR' },
      custom: { reference: newKey() },
      idempotencyKey: newKey(),
    }),
    create: (input: object) => submit(bench.ask, 'create', input),
    find: async ({ idempotencyKey }: Pick<Wanted, 'idempotencyKey'>) =>
      (await findOperation(bench.ask, merchant.id, idempotencyKey)).data.moneyOperation,
    /** What the service has in its books of it. */
    copies: async ({ custom }: Pick<Wanted, 'custom'>) => {
      const listed = await payments.get(`${address}?limit=100`);
      return listed.body.filter(
        (each: { custom?: { reference?: string } }) => each.custom?.reference === custom.reference,
      );
    },
    /** Makes one past all gateways. */
    past: (custom: object) =>
      payments.post(address, {
        transactionId: ending('0000'),
        currency: 'EUR',
        amount: 5,
        custom,
      }),
    /** The service's list, past the proxy. */
    list: async (query: string) => (await payments.get(`${address}?${query}`)).body,
  };
}
