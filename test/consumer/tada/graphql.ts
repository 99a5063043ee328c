import { initGraphQLTada } from 'gql.tada';
import type { introspection } from './graphql-env.d.ts';

export const graphql = initGraphQLTada<{
  introspection: introspection;
  scalars: {
    CurrencyCode: string;
    Date: string;
    DateTime: string;
    JSON: unknown;
    MinorUnits: number;
    TimeZone: string;
  };
}>();
