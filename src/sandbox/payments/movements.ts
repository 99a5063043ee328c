import type { Queryable } from '../../database/database.ts';
import type { Environment } from '../environment.ts';
import { amount, optional, required, type Shape, text } from '../http/fields.ts';
import { type FieldError, httpError, invalidFields } from '../http/http-error.ts';
import { jsonResponse } from '../http/response.ts';
import type { Route } from '../http/router.ts';
import { accessible, authenticate } from './access.ts';
import { inWords, pendingOf, refundableOf, refundShare } from './amounts.ts';
import { openDispute } from './disputes.ts';
import { exchange, flatFee, rateFee } from './exchange.ts';
import { fileFraudAlert } from './fraud-alerts.ts';
import { lockTransaction } from './locks.ts';
import { paymentDescriptor } from './merchants.ts';
import { addToTrail } from './trail.ts';
import { showOne, type TransactionRow, trailsOf } from './transaction-row.ts';

/** Capture, refund and void: the three ways to move the money of a transaction. */
export type Action = 'capture' | 'refund' | 'void';

/** What the caller asks for. */
export interface MovementInput {
  readonly amount: number;
  readonly currency?: string | undefined;
  readonly descriptor?: string | undefined;
}

const shapes = {
  capture: {
    amount: required(amount),
    currency: optional(text(0, 1000)),
    descriptor: paymentDescriptor,
  },
  refund: { amount: required(amount), descriptor: paymentDescriptor },
  void: { amount: required(amount) },
} satisfies Record<Action, Shape>;

const left = { capture: pendingOf, refund: refundableOf, void: pendingOf };
const apply = { capture, refund, void: cancel };

/** Captures, refunds and voids. Specification: payments, "States and transitions". */
export function movementRoutes(environment: Environment): Route[] {
  return (['capture', 'refund', 'void'] as const).map((action) => ({
    method: 'POST' as const,
    path: `/transactions/:id/${action}s`,
    handle: async (request) => {
      const app = await authenticate(environment.database, request);
      const [found] = await environment.database.query<TransactionRow>(
        'SELECT * FROM transaction WHERE id = $1',
        [request.params.id],
      );
      const row = await accessible(environment.database, app, found, 'transaction');
      const input = (await request.fields<Shape>(shapes[action])) as unknown as MovementInput;
      const moved = await move(environment, row, action, input);
      return jsonResponse(201, { transaction: await showOne(environment.database, moved) });
    },
  }));
}

/**
 * Moves money once: 400 when it does not fit the transaction as it was read, 409 when
 * it did but another change came first. Counters, trail and line change together.
 */
async function move(
  environment: Environment,
  row: TransactionRow,
  action: Action,
  input: MovementInput,
): Promise<TransactionRow> {
  const faults: FieldError[] = [];
  const maximum = left[action](row);
  if (input.amount > maximum) {
    faults.push({
      field: 'amount',
      message: `Can ${action} at most ${inWords(maximum, row.currency)}`,
    });
  }
  if (input.currency !== undefined && input.currency !== row.currency) {
    faults.push({ field: 'currency', message: `The transaction is in ${row.currency}` });
  }
  if (faults.length > 0) throw invalidFields(faults);
  return environment.database.transaction(async (tx) => {
    const locked = await lockTransaction(tx, row);
    if (input.amount > left[action](locked)) {
      throw httpError(409, 'The transaction has changed in the meantime');
    }
    return applyMovement(environment, tx, locked, action, input);
  });
}

/** Applies a movement that fits; the transaction must be locked. */
export async function applyMovement(
  environment: Environment,
  tx: Queryable,
  row: TransactionRow,
  action: Action,
  input: MovementInput,
): Promise<TransactionRow> {
  await apply[action](environment, tx, row, input);
  const [moved] = await tx.query<TransactionRow>('SELECT * FROM transaction WHERE id = $1', [
    row.id,
  ]);
  return moved as TransactionRow;
}

async function capture(
  environment: Environment,
  tx: Queryable,
  row: TransactionRow,
  input: MovementInput,
) {
  const funding = await fundingCurrency(tx, row);
  const gross = exchange(input.amount, row.currency, funding);
  const descriptor = input.descriptor || row.descriptor;
  await tx.query('UPDATE transaction SET captured = captured + $2 WHERE id = $1', [
    row.id,
    input.amount,
  ]);
  await addToTrail(environment, tx, row, {
    kind: 'capture',
    created: environment.clock(),
    amount: input.amount,
    gross,
    fee_flat: flatFee(funding),
    fee_rate: rateFee(gross),
    descriptor,
    description: descriptor,
  });
  await openDispute(environment, tx, row, { amount: input.amount, gross });
  await fileFraudAlert(environment, tx, row);
}

async function refund(
  environment: Environment,
  tx: Queryable,
  row: TransactionRow,
  input: MovementInput,
) {
  const trail = (await trailsOf(tx, [row.id])).get(row.id) ?? [];
  const sum = (kind: string, column: 'gross' | 'fee_rate') =>
    trail.reduce((total, entry) => total + (entry.kind === kind ? entry[column] : 0), 0);
  const { taken, returned } = refundShare(
    {
      captured: row.captured,
      gross: sum('capture', 'gross'),
      rate: sum('capture', 'fee_rate'),
      grossTaken: -sum('refund', 'gross'),
      rateReturned: -sum('refund', 'fee_rate'),
    },
    row.refunded + input.amount,
  );
  const descriptor = input.descriptor || row.descriptor;
  await tx.query('UPDATE transaction SET refunded = refunded + $2 WHERE id = $1', [
    row.id,
    input.amount,
  ]);
  await addToTrail(environment, tx, row, {
    kind: 'refund',
    created: environment.clock(),
    amount: input.amount,
    gross: 0 - taken,
    fee_flat: 0,
    fee_rate: 0 - returned,
    descriptor,
    description: descriptor,
  });
}

async function cancel(
  environment: Environment,
  tx: Queryable,
  row: TransactionRow,
  input: MovementInput,
) {
  await tx.query('UPDATE transaction SET voided = voided + $2 WHERE id = $1', [
    row.id,
    input.amount,
  ]);
  await addToTrail(environment, tx, row, {
    kind: 'void',
    created: environment.clock(),
    amount: input.amount,
    gross: 0,
    fee_flat: 0,
    fee_rate: 0,
    descriptor: null,
  });
}

async function fundingCurrency(tx: Queryable, row: TransactionRow): Promise<string> {
  const [merchant] = await tx.query<{ currency: string }>(
    'SELECT currency FROM merchant WHERE id = $1',
    [row.merchant_id],
  );
  return (merchant as { currency: string }).currency;
}
