import { readFileSync } from 'node:fs';
import {
  buildSchema,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isSpecifiedScalarType,
  parse,
  visit,
} from 'graphql';
import { expect, test } from 'vitest';
import { printGraph } from '../../src/gateway/schema/print.ts';
import { schema } from '../../src/gateway/schema.ts';

const committed = readFileSync(new URL('../../schema/schema.graphql', import.meta.url), 'utf8');

test('the committed schema is the printed schema', () => {
  expect(committed).toBe(printGraph(schema));
});

test('every type, field, argument, input field, enum value and directive has a description', () => {
  expect(undescribed(buildSchema(committed))).toEqual([]);
});

test('a missing description is found', () => {
  const bare = buildSchema('type Query { a(b: Int): C } enum C { D } input E { f: Int }');
  expect(undescribed(bare)).toEqual(
    expect.arrayContaining(['Query', 'Query.a', 'Query.a(b:)', 'C', 'C.D', 'E', 'E.f']),
  );
});

test('fields that need another call are marked as null only with an error', () => {
  const marked: string[] = [];
  visit(parse(committed), {
    ObjectTypeDefinition: ({ name, fields = [] }) => {
      for (const field of fields) {
        const names = field.directives?.map((directive) => directive.name.value);
        if (names?.includes('semanticNonNull')) marked.push(`${name.value}.${field.name.value}`);
      }
    },
  });
  expect(marked.sort()).toEqual([
    'Dispute.merchant',
    'Dispute.transaction',
    'Event.merchant',
    'FraudAlert.merchant',
    'FraudAlert.transaction',
    'Line.merchant',
    'Merchant.apps',
    'Merchant.balanceReport',
    'Merchant.disputes',
    'Merchant.events',
    'Merchant.fraudAlerts',
    'Merchant.lines',
    'Merchant.members',
    'Merchant.moneyOperations',
    'Merchant.transactionTotals',
    'Merchant.transactions',
    'Merchant.webhookEndpoints',
    'Query.merchants',
    'Query.search',
    'Query.transactions',
    'Query.users',
    'Query.viewer',
    'SearchProgress.leftOut',
    'SearchResults.disputes',
    'SearchResults.leftOut',
    'SearchResults.merchants',
    'SearchResults.transactions',
    'SearchResults.users',
    'Transaction.disputes',
    'Transaction.fraudAlerts',
    'Transaction.merchant',
    'Transaction.moneyOperations',
    'WebhookDelivery.attempts',
    'WebhookEndpoint.deliveries',
  ]);
});

function undescribed(graph: GraphQLSchema): string[] {
  const missing: string[] = [];
  const check = (name: string, element: { readonly description?: string | null | undefined }) => {
    if (!element.description?.trim()) missing.push(name);
  };
  for (const type of Object.values(graph.getTypeMap())) {
    if (type.name.startsWith('__') || isSpecifiedScalarType(type)) continue;
    check(type.name, type);
    if (isEnumType(type)) {
      for (const value of type.getValues()) check(`${type.name}.${value.name}`, value);
    }
    if (!isObjectType(type) && !isInterfaceType(type) && !isInputObjectType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      check(`${type.name}.${field.name}`, field);
      for (const arg of 'args' in field ? field.args : []) {
        check(`${type.name}.${field.name}(${arg.name}:)`, arg);
      }
    }
  }
  for (const directive of graph.getDirectives()) {
    check(`@${directive.name}`, directive);
    for (const arg of directive.args) check(`@${directive.name}(${arg.name}:)`, arg);
  }
  return missing;
}
