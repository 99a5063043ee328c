import { Client, fetchExchange } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { relayPagination } from '@urql/exchange-graphcache/extras';
import introspection from 'tillgraph-schema/introspection.json';

const hasId = (type: { fields?: { name: string }[] | null }) =>
  type.fields?.some(({ name }) => name === 'id');

/** An object without an id, such as an amount, belongs to the record that contains it. */
const keys = Object.fromEntries(
  introspection.__schema.types
    .filter((type) => type.kind === 'OBJECT' && !hasId(type))
    .map(({ name }) => [name, () => null]),
);

export function createClient(url: string, appKey: string) {
  return new Client({
    url,
    exchanges: [
      cacheExchange({
        schema: introspection,
        keys,
        resolvers: { Merchant: { transactions: relayPagination() } },
      }),
      fetchExchange,
    ],
    preferGetMethod: false,
    fetchOptions: { headers: { authorization: `Bearer ${appKey}` } },
  });
}
