import { z } from 'zod';
import type { Environment } from '../environment.ts';
import { amount } from '../http/fields.ts';
import { type FieldError, httpError, invalidFields } from '../http/http-error.ts';
import { type DescribedRoute, defineOperation, json } from '../http/operation.ts';
import { recordInPath } from './access.ts';
import { formatAmount, pendingOf, refundableOf } from './amounts.ts';
import { applyMovement, type MovementInput, type MovementKind } from './apply-movement.ts';
import { descriptor, reference } from './fields.ts';
import { lockTransaction } from './locks.ts';
import {
  showTransaction,
  Transaction,
  type TransactionRow,
  transactionById,
} from './transaction-row.ts';

const rules = {
  capture: {
    summary: 'Capture some or all of the pending amount.',
    body: { amount, currency: reference.optional(), descriptor: descriptor.optional() },
    /** Returns the largest amount that the movement can have. */
    available: pendingOf,
  },
  refund: {
    summary: 'Refund some or all of the captured amount.',
    body: { amount, descriptor: descriptor.optional() },
    available: refundableOf,
  },
  void: {
    summary: 'Void some or all of the pending amount.',
    body: { amount },
    available: pendingOf,
  },
};

/** Captures, refunds and voids. Specification: payments, "States and transitions". */
export function movementRoutes(environment: Environment): DescribedRoute[] {
  const { database } = environment;
  return (['capture', 'refund', 'void'] as const).map((kind) =>
    defineOperation({
      method: 'POST',
      path: `/transactions/:id/${kind}s`,
      summary: rules[kind].summary,
      subject: recordInPath(database, transactionById, 'transaction'),
      body: rules[kind].body,
      responses: { 201: json('The transaction.', z.object({ transaction: Transaction })) },
      errors: [409],
      handle: async ({ subject: row, body }) => {
        const moved = await move(environment, row, kind, body);
        return { transaction: await showTransaction(database, moved) };
      },
    }),
  );
}

/**
 * Applies a movement once. Throws 400 if it does not fit the transaction as it was read, and 409
 * if it did, but another request changed the transaction first.
 */
async function move(
  environment: Environment,
  row: TransactionRow,
  kind: MovementKind,
  input: MovementInput,
): Promise<TransactionRow> {
  const { available } = rules[kind];
  const errors: FieldError[] = [];
  if (input.amount > available(row)) {
    const most = formatAmount(available(row), row.currency);
    errors.push({ field: 'amount', message: `Can ${kind} at most ${most}` });
  }
  if (input.currency !== undefined && input.currency !== row.currency) {
    const message = `Must be ${row.currency}, the currency of the transaction`;
    errors.push({ field: 'currency', message });
  }
  if (errors.length > 0) throw invalidFields(errors);
  return environment.database.transaction(async (tx) => {
    const locked = await lockTransaction(tx, row);
    if (input.amount > available(locked)) {
      throw httpError(409, 'Another request changed the transaction first');
    }
    return applyMovement(environment, tx, locked, kind, input);
  });
}
