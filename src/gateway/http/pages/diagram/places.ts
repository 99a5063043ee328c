import { type GraphQLNamedType, type GraphQLSchema, isEnumType, isScalarType } from 'graphql';

/**
 * The domain types, column by column. They are placed by hand, so that readers find a merchant, its
 * payments and what follows from them in this order, and most arrows point to the right.
 */
const COLUMNS = [
  ['App', 'MerchantMember', 'User', 'Company', 'Bank'],
  ['Merchant', 'MoneyOperation', 'Card'],
  ['Transaction', 'AvailableAction', 'PaymentCard'],
  ['TrailEntry', 'Dispute', 'FraudAlert'],
  ['Line'],
] as const;

/** Types that are initially folded. A type belongs to the first group that matches its name. */
const GROUPS: readonly (readonly [title: string, names: RegExp])[] = [
  ['Queries, mutations and subscriptions', /^(Query|Mutation|Subscription)$/],
  ['Money and totals', /^(Money|Currency|Fee|TransactionTotals.*|BalanceReport.*)$/],
  ['Pages of lists', /(Connection|Edge)$|^(PageInfo|SearchProgress)$/],
  ['Kinds of trail entries, interfaces', /.TrailEntry$|^(Node|CardDetails)$/],
  ['Events and webhooks', /^(EventMessage|WebhookAttempt)$/],
  ['Results and errors', /(Success|Result|Error)$/],
  ['Inputs and filters', /(Input|Filter|Order|Range)$/],
];

const REST = 'Scalars and enums';

/** A part of the page that is initially folded. */
export interface Group {
  readonly title: string;
  readonly types: readonly GraphQLNamedType[];
}

/** The place of each type of the schema: in a column or in a group. */
export interface Places {
  readonly columns: readonly (readonly GraphQLNamedType[])[];
  readonly groups: readonly Group[];
}

/** Places every type of a schema, except introspection types, exactly once. */
export function placeTypes(schema: GraphQLSchema): Places {
  const types = Object.values(schema.getTypeMap())
    .filter(({ name }) => !name.startsWith('__'))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
  const columns = COLUMNS.map((names) => names.flatMap((name) => schema.getType(name) ?? []));
  const placed = new Set(columns.flat());
  const byTitle = new Map<string, GraphQLNamedType[]>();
  for (const title of [...GROUPS.map(([title]) => title), REST]) byTitle.set(title, []);
  for (const type of types) {
    if (placed.has(type)) continue;
    const group = byTitle.get(titleOf(type) ?? '');
    // A new domain type is shown in the last column until it is placed.
    if (group === undefined) columns.at(-1)?.push(type);
    else group.push(type);
  }
  return { columns, groups: [...byTitle].map(([title, types]) => ({ title, types })) };
}

function titleOf(type: GraphQLNamedType): string | undefined {
  if (isScalarType(type) || isEnumType(type)) return REST;
  return GROUPS.find(([, names]) => names.test(type.name))?.[0];
}
