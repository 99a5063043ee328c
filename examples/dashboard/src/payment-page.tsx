import { useState } from 'react';
import { ActionForm } from './action-form.tsx';
import type { PaymentQuery } from './gql/graphql.ts';
import { graphql } from './gql/index.ts';
import { showAmount } from './money.ts';
import { useOperations } from './operations.ts';
import { readReference } from './payments-page.tsx';
import { Progress } from './progress.tsx';
import { showName, showTime } from './show.ts';
import { Table } from './table.tsx';
import { useQuery } from './use-query.ts';

graphql(`fragment Amount on Money { minorUnits currency exponent }`);

const OnePayment = graphql(`
  query Payment($id: ID!) {
    transaction(id: $id) {
      id createdAt state statementDescriptor custom error { message } amount { ...Amount }
      pendingAmount { ...Amount } capturedAmount { ...Amount } refundedAmount { ...Amount }
      voidedAmount { ...Amount } disputedAmount { ...Amount } card { schemeName last4 }
      trail { __typename createdAt amount { ...Amount } balanceChange { ...Amount } }
      availableActions { action maximum { ...Amount decimal } }
      merchant { id }
      moneyOperations { edges { node { idempotencyKey kind resolvedAt amount { ...Amount } } } }
    }
  }
`);
export type Payment = NonNullable<PaymentQuery['transaction']>;

export function PaymentPage({ id, mayMoveMoney }: { id: string; mayMoveMoney: boolean }) {
  const operations = useOperations().filter(({ transactionId }) => transactionId === id);
  // An operation that begins or ends, also in another tab, changes the payment.
  const revision = operations.map(({ idempotencyKey, status }) => idempotencyKey + status).join();
  const loaded = useQuery(OnePayment, { id }, ({ transaction }) => transaction, revision);
  const [payment] = loaded.parts;
  const elsewhere = payment?.moneyOperations?.edges.filter(
    ({ node }) =>
      node.resolvedAt === null &&
      operations.every(({ idempotencyKey }) => idempotencyKey !== node.idempotencyKey),
  );
  // While the outcome of one operation is not known, no other one is offered.
  const isOpen = elsewhere?.length !== 0 || operations.some(({ status }) => status === 'OPEN');
  const rows = payment?.trail.map(({ __typename, createdAt, amount, balanceChange }) => [
    showTime(createdAt),
    __typename.replace('TrailEntry', ''),
    showAmount(amount),
    showAmount(balanceChange),
  ]);
  const head = ['Time', 'Entry', 'Amount', 'Change of balance'];
  return (
    <>
      {payment && <Facts payment={payment} />}
      {elsewhere?.map(({ node }) => (
        <p key={node.idempotencyKey} className="notice OPEN">
          {showName(node.kind)} of {showAmount(node.amount)} was started elsewhere. Its outcome is
          not known yet.
        </p>
      ))}
      {payment && !loaded.busy && !isOpen && mayMoveMoney && <Actions payment={payment} />}
      {rows && <Table name="Trail" head={head} texts={2} rows={rows} />}
      {!payment && !loaded.busy && !loaded.errors && <h1>There is no such payment</h1>}
      <Progress loaded={{ ...loaded, parts: [] }} />
    </>
  );
}

function Facts({ payment }: { payment: Payment }) {
  const { card, error } = payment;
  const facts = {
    Reserved: showAmount(payment.pendingAmount),
    Captured: showAmount(payment.capturedAmount),
    Refunded: showAmount(payment.refundedAmount),
    Voided: showAmount(payment.voidedAmount),
    Disputed: showAmount(payment.disputedAmount),
    Created: showTime(payment.createdAt),
    Card: card && `${card.schemeName} •${card.last4}`,
    Reference: readReference(payment.custom),
    'Bank statement': payment.statementDescriptor,
    'Declined because': error?.message,
    Id: payment.id,
  };
  return (
    <>
      <h1>
        {showAmount(payment.amount)}{' '}
        <span className={`state ${payment.state}`}>{showName(payment.state)}</span>
      </h1>
      <dl>
        {Object.entries(facts).map(([name, value]) => (
          <div key={name} hidden={!value}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

/** A button for each action that is still possible. */
function Actions({ payment }: { payment: Payment }) {
  const [chosen, choose] = useState<Payment['availableActions'][number]>();
  return (
    <p className="buttons">
      {payment.availableActions.map((available) => (
        <button key={available.action} type="button" onClick={() => choose(available)}>
          {showName(available.action)}…
        </button>
      ))}
      {chosen && <ActionForm payment={payment} {...chosen} close={() => choose(undefined)} />}
    </p>
  );
}
