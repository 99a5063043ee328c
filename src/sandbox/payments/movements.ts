import type { Environment } from '../environment.ts';
import { amount, optional, required, text } from '../http/fields.ts';
import { type FieldError, httpError, invalidFields } from '../http/http-error.ts';
import { jsonResponse } from '../http/response.ts';
import type { HttpRequest, Route } from '../http/router.ts';
import { authenticate, requireAccess } from './access.ts';
import { type Counters, formatAmount, pendingOf, refundableOf } from './amounts.ts';
import { applyMovement, type MovementInput, type MovementKind } from './apply-movement.ts';
import { paymentDescriptor } from './descriptors.ts';
import { lockTransaction } from './locks.ts';
import { showTransaction, type TransactionRow, transactionById } from './transaction-row.ts';

interface MovementRules {
  readonly read: (request: HttpRequest) => Promise<MovementInput>;
  /** Returns the largest amount that the movement can have. */
  readonly available: (counters: Counters) => number;
}

const rules: Readonly<Record<MovementKind, MovementRules>> = {
  capture: {
    read: (request) =>
      request.fields({
        amount: required(amount),
        currency: optional(text(1, 1000)),
        descriptor: paymentDescriptor,
      }),
    available: pendingOf,
  },
  refund: {
    read: (request) => request.fields({ amount: required(amount), descriptor: paymentDescriptor }),
    available: refundableOf,
  },
  void: {
    read: (request) => request.fields({ amount: required(amount) }),
    available: pendingOf,
  },
};

/** Captures, refunds and voids. Specification: payments, "States and transitions". */
export function movementRoutes(environment: Environment): Route[] {
  const { database } = environment;
  return (['capture', 'refund', 'void'] as const).map((kind) => ({
    method: 'POST' as const,
    path: `/transactions/:id/${kind}s`,
    handle: async (request) => {
      const app = await authenticate(database, request);
      const found = await transactionById(database, request.params.id);
      const row = await requireAccess(database, app, found, 'transaction');
      const input = await rules[kind].read(request);
      const moved = await move(environment, row, kind, input);
      return jsonResponse(201, { transaction: await showTransaction(database, moved) });
    },
  }));
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
