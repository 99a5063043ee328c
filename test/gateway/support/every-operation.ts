import { given } from '../../support/given.ts';
import { newKey } from '../../support/new-key.ts';
import type { Stack } from '../../support/start-stack.ts';

const amount = 'amount: { minorUnits: 1, currency: "EUR" }, idempotencyKey: "$key"';
const user = 'name: "A", email: "a@b.example", address: ""';
const inMerchant = (field: string) =>
  `{ merchant(id: "$merchant") { ${field} { edges { cursor } } } }`;
const mutation = (field: string, input: string) =>
  `mutation { ${field}(input: { ${input} }) { __typename ... on MutationError { message } } }`;

/**
 * Every REST operation of the two specifications, the field of the graph that calls it, and
 * a GraphQL operation that does so. `$name` stands for the id of a demo record.
 */
export const operations: [rest: string, field: string, operation: string][] = [
  ['GET /users', 'Query.users', '{ users { edges { cursor } } }'],
  ['GET /users/:id', 'Query.user', '{ user(id: "$user") { name } }'],
  ['POST /users', 'Mutation.createUser', mutation('createUser', user)],
  ['PUT /users/:id', 'Mutation.replaceUser', mutation('replaceUser', `userId: "$user", ${user}`)],
  ['PATCH /users/:id', 'Mutation.updateUser', mutation('updateUser', 'userId: "$user", name: "B"')],
  ['DELETE /users/:id', 'Mutation.deleteUser', mutation('deleteUser', 'userId: "$newUser"')],
  ['POST /apps', 'Mutation.createApp', mutation('createApp', 'name: "Till"')],
  ['GET /me', 'Query.viewer', '{ viewer { name } }'],
  [
    'POST /merchants',
    'Mutation.createMerchant',
    mutation(
      'createMerchant',
      'fundingCurrency: "EUR", test: true, email: "a@b.example", website: "b.example", statementDescriptor: "B", company: { country: "DE" }',
    ),
  ],
  [
    'PUT /merchants/:id',
    'Mutation.updateMerchant',
    mutation('updateMerchant', 'merchantId: "$merchant", name: "N"'),
  ],
  ['GET /identities/:id/merchants', 'Query.merchants', '{ merchants { edges { cursor } } }'],
  ['GET /merchants/:id', 'Query.merchant', '{ merchant(id: "$merchant") { name } }'],
  [
    'POST /merchants/:id/users',
    'Mutation.inviteMerchantMember',
    mutation('inviteMerchantMember', 'merchantId: "$merchant", email: "new@b.example"'),
  ],
  [
    'DELETE /merchants/:id/users/:userId',
    'Mutation.revokeMerchantMember',
    mutation('revokeMerchantMember', 'merchantId: "$merchant", memberId: "$member"'),
  ],
  ['GET /merchants/:id/users', 'Merchant.members', inMerchant('members')],
  [
    'POST /merchants/:id/apps',
    'Mutation.addMerchantApp',
    mutation('addMerchantApp', 'merchantId: "$merchant", appId: "$app"'),
  ],
  [
    'DELETE /merchants/:id/apps/:appId',
    'Mutation.revokeMerchantApp',
    mutation('revokeMerchantApp', 'merchantId: "$merchant", appId: "$addedApp"'),
  ],
  ['GET /merchants/:id/apps', 'Merchant.apps', inMerchant('apps')],
  ['GET /merchants/:id/lines', 'Merchant.lines', inMerchant('lines')],
  ['GET /lines/:id', 'Query.line', '{ line(id: "$line") { test } }'],
  [
    'POST /merchants/:id/transactions',
    'Mutation.createTransaction',
    mutation(
      'createTransaction',
      `merchantId: "$merchant", source: { transactionId: "$source" }, ${amount}`,
    ),
  ],
  [
    'POST /merchants/:id/transactions (saved card)',
    'Mutation.createTransaction',
    mutation(
      'createTransaction',
      `merchantId: "$merchant", source: { cardId: "$card" }, ${amount}`,
    ),
  ],
  ...(['capture', 'refund', 'void'] as const).map((movement): [string, string, string] => [
    `POST /transactions/:id/${movement}s`,
    `Mutation.${movement}Transaction`,
    mutation(`${movement}Transaction`, `transactionId: "$captured", ${amount}`),
  ]),
  ['GET /merchants/:id/transactions', 'Merchant.transactions', inMerchant('transactions')],
  ['GET /transactions/:id', 'Query.transaction', '{ transaction(id: "$source") { test } }'],
  [
    'POST /merchants/:id/cards',
    'Mutation.saveCard',
    mutation('saveCard', 'merchantId: "$merchant", transactionId: "$source"'),
  ],
  ['GET /cards/:id', 'Query.card', '{ card(id: "$card") { bin } }'],
  ['GET /disputes', 'Merchant.disputes', inMerchant('disputes')],
  ['GET /disputes/:id', 'Query.dispute', '{ dispute(id: "$dispute") { reasonCode } }'],
  ['GET /frauds', 'Merchant.fraudAlerts', inMerchant('fraudAlerts')],
  ['GET /frauds/:id', 'Query.fraudAlert', '{ fraudAlert(id: "$fraudAlert") { reason } }'],
];

/** Fills ids of records into the operations. */
export interface Documents {
  /** Returns the operation with ids; creates the records that it changes or deletes. */
  fill(operation: string): Promise<string>;
}

/** Prepares the records that the operations read. */
export async function prepareDocuments(stack: Stack): Promise<Documents> {
  const ids = await readIds(stack);
  const fresh = creators(stack, ids);
  return {
    fill: async (operation) => {
      let document = operation;
      for (const [placeholder, name = ''] of operation.matchAll(/\$(\w+)/g)) {
        document = document.replace(placeholder, (await fresh[name]?.()) ?? ids[name] ?? '');
      }
      return document;
    },
  };
}

async function readIds(stack: Stack): Promise<Record<string, string>> {
  const { id } = await given(stack).merchant();
  const source = await given(stack).successful(id);
  const { data } = await stack.ask(
    `query ($id: ID!) { merchant(id: $id) { lines { edges { node { id } } }
      disputes { edges { node { id } } } fraudAlerts { edges { node { id } } } } users { edges { node { id } } } }`,
    { id },
  );
  const first = (list: { edges: { node: { id: string } }[] }) => list.edges[0]?.node.id ?? '';
  const ids: Record<string, string> = {
    merchant: id,
    source,
    line: first(data.merchant.lines),
    dispute: first(data.merchant.disputes),
    fraudAlert: first(data.merchant.fraudAlerts),
    user: first(data.users),
  };
  const { data: made } = await stack.ask(
    `mutation { saveCard(input: { merchantId: "${id}", transactionId: "${source}" }) {
      ... on SaveCardSuccess { card { id } } } createApp(input: {}) { ... on CreateAppSuccess { app { id } } } }`,
  );
  ids.card = made.saveCard.card.id;
  ids.app = made.createApp.app.id;
  return ids;
}

/** Creates records for operations that delete or change them. */
function creators(
  stack: Stack,
  ids: Readonly<Record<string, string>>,
): Record<string, () => Promise<string>> {
  return {
    newUser: async () => {
      const { data } = await stack.ask(
        `mutation { createUser(input: { ${user} }) { ... on CreateUserSuccess { user { id } } } }`,
      );
      return data.createUser.user.id;
    },
    addedApp: async () => {
      const { data } = await stack.ask(
        'mutation { createApp(input: {}) { ... on CreateAppSuccess { app { id } } } }',
      );
      const { id } = data.createApp.app;
      await stack.ask(mutation('addMerchantApp', `merchantId: "${ids.merchant}", appId: "${id}"`));
      return id;
    },
    member: async () => {
      const { data } = await stack.ask(
        `mutation { inviteMerchantMember(input: { merchantId: "${ids.merchant}", email: "${newKey()}@b.example" }) {
          ... on InviteMerchantMemberSuccess { member { id } } } }`,
      );
      return data.inviteMerchantMember.member.id;
    },
    key: async () => newKey(),
    captured: async () => {
      const id = await given(stack).transaction(100);
      await stack.ask(
        mutation(
          'captureTransaction',
          `transactionId: "${id}", amount: { minorUnits: 50, currency: "EUR" }, idempotencyKey: "${newKey()}"`,
        ),
      );
      return id;
    },
  };
}
