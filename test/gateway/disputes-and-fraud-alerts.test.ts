import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { given } from '../support/given.ts';
import { type Stack, startGateway, startStack } from '../support/start-stack.ts';
import { startStubService } from '../support/stub-service.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.close());

describe('disputes', () => {
  const FIELDS = `id rawId createdAt dueAt reasonCode reasonTitle amount { minorUnits currency }
    merchant { id } transaction { id disputedAmount { minorUnits } card { last4 } }`;

  test('of a merchant are listed with their fields, and can be loaded in every way', async () => {
    const { id } = await given(stack).merchant();
    const { data, errors } = await stack.ask(
      `{ merchant(id: "${id}") { disputes(first: 50) { edges { node { ${FIELDS} } } } } }`,
    );
    expect(errors).toBeUndefined();
    const nodes = data.merchant.disputes.edges.map(({ node }: { node: object }) => node);
    expect(nodes.length).toBeGreaterThan(2);
    for (const dispute of nodes) {
      expect(dispute).toMatchObject({
        merchant: { id },
        reasonCode: 30,
        reasonTitle: 'Services not provided or merchandise not received',
        amount: { currency: 'EUR', minorUnits: dispute.transaction.disputedAmount.minorUnits },
      });
      expect(Date.parse(dispute.dueAt) - Date.parse(dispute.createdAt)).toBe(14 * 86_400_000);
      expect(dispute.transaction.card.last4).toMatch(/^010[012]$/);
    }
    const [first] = nodes;
    const { data: again } = await stack.ask(
      `{ dispute(id: "${first.rawId}") { id } node(id: "${first.id}") { __typename id }
        merchant(id: "${id}") { disputes(transactionId: "${first.transaction.id}") { edges { node { id } } } }
        transaction(id: "${first.transaction.id}") { disputes { edges { node { id } } } } }`,
    );
    const only = { edges: [{ node: { id: first.id } }] };
    expect(again).toEqual({
      dispute: { id: first.id },
      node: { __typename: 'Dispute', id: first.id },
      merchant: { disputes: only },
      transaction: { disputes: only },
    });
  });

  test('that ended are in the trail with their outcome and a reference to the dispute', async () => {
    const { id } = await given(stack).merchant();
    const { data } = await stack.ask(
      `{ merchant(id: "${id}") { disputes(first: 50) { edges { node { id transaction { card { last4 }
        trail { ... on DisputeTrailEntry { outcome dispute { id } } } } } } } } }`,
    );
    const outcomes = data.merchant.disputes.edges.map(
      // biome-ignore lint/suspicious/noExplicitAny: an answer of any shape
      ({ node }: any) => [
        node.transaction.card.last4,
        // biome-ignore lint/suspicious/noExplicitAny: an answer of any shape
        node.transaction.trail.find((entry: any) => entry.dispute?.id === node.id)?.outcome,
      ],
    );
    expect(outcomes).toContainEqual(['0100', undefined]);
    expect(outcomes).toContainEqual(['0101', 'WON']);
    expect(outcomes).toContainEqual(['0102', 'LOST']);
  });
});

describe('fraud alerts', () => {
  test('of a merchant are listed, and can be loaded in every way', async () => {
    const { id } = await given(stack).merchant();
    const { data, errors } = await stack.ask(
      `{ merchant(id: "${id}") { fraudAlerts { edges { node {
        id rawId createdAt reportedAt reason reasonCode merchant { id } transaction { id card { last4 } } } } } } }`,
    );
    expect(errors).toBeUndefined();
    const [{ node: alert }] = data.merchant.fraudAlerts.edges;
    expect(alert).toMatchObject({
      reason: 'FRAUDULENT_USAGE',
      reasonCode: 1,
      reportedAt: alert.createdAt,
      merchant: { id },
      transaction: { card: { last4: '0110' } },
    });
    const { data: again } = await stack.ask(
      `{ fraudAlert(id: "${alert.rawId}") { id } node(id: "${alert.id}") { __typename }
        merchant(id: "${id}") { fraudAlerts(transactionId: "${alert.transaction.id}") { edges { node { id } } } }
        transaction(id: "${alert.transaction.id}") { fraudAlerts { edges { node { id } } } } }`,
    );
    const only = { edges: [{ node: { id: alert.id } }] };
    expect(again).toEqual({
      fraudAlert: { id: alert.id },
      node: { __typename: 'FraudAlert' },
      merchant: { fraudAlerts: only },
      transaction: { fraudAlerts: only },
    });
  });

  test.each([
    [{ reason: 0 }, { reason: 'MISC', reasonCode: 0 }],
    [{ reason: 8 }, { reason: 'CARDHOLDER_MANIPULATED', reasonCode: 8 }],
    [{ reason: 9 }, { reason: 'OTHER', reasonCode: 9 }],
    [{}, { reason: null, reasonCode: null }],
  ])('with %j are shown as %j', async (fields, shown) => {
    const alert = { id: 'f1', merchantId: 'm1', created: '2026-06-01', ...fields };
    const service = await startStubService({ 'GET /frauds/f1': { json: { fraud: alert } } });
    const gateway = await startGateway({
      services: { usersUrl: service.url, paymentsUrl: service.url, posUrl: service.url },
    });
    const { data } = await gateway.ask('{ fraudAlert(id: "f1") { reason reasonCode } }', {}, 'key');
    expect(data.fraudAlert).toEqual(shown);
    await gateway.close();
    await service.close();
  });
});
