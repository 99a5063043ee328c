import type { OperationStore } from '../../src/gateway/operation/store/operation-store.ts';
import { type Ask, type Stack, startGateway, startStack } from '../support/start-stack.ts';
import { type Books, openBooks } from './books.ts';
import { emptyPostgres, openPglite, openPostgres } from './open-stores.ts';

/** A sandbox, and gateways before it that share what they know of operations. */
export interface Crowd {
  readonly stack: Stack;
  readonly books: Books;
  /** A caller; every next one goes to the next gateway. */
  caller(index: number): Ask;
  /** POSTs to transactions that reached the service. */
  posts(): number;
  close(): Promise<void>;
}

/** Where operations are kept while many call at once: one store for each gateway. */
export const crowds: [string, () => Promise<OperationStore[]>][] = [
  ['a gateway on PGlite', async () => [await openPglite()]],
  [
    'two gateways on one PostgreSQL',
    async () => {
      const address = await emptyPostgres();
      return [await openPostgres(address), await openPostgres(address)];
    },
  ],
];

/** Starts one gateway for each store. */
export async function startCrowd(open: () => Promise<OperationStore[]>): Promise<Crowd> {
  const stack = await startStack();
  const { usersUrl, paymentsUrl, posUrl, demoApp } = stack.sandbox;
  const services = { usersUrl, paymentsUrl, posUrl };
  const gateways = await Promise.all(
    (await open()).map((store) => startGateway({ services, store })),
  );
  return {
    stack,
    books: await openBooks(stack.sandbox),
    caller: (index) => (query, variables, key) => {
      const gateway = gateways[index % gateways.length] as (typeof gateways)[0];
      return gateway.ask(query, variables, key ?? demoApp.key);
    },
    posts: () => stack.calls.filter((call) => /^POST \/transactions/.test(call)).length,
    close: async () => {
      await Promise.all(gateways.map((gateway) => gateway.close()));
      await stack.close();
    },
  };
}
