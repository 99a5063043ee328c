import { z } from 'zod';
import type { Queryable } from '../../database/database.ts';
import type { Environment } from '../environment.ts';
import { singleRow } from '../environment.ts';
import { amount } from '../http/fields.ts';
import { type FieldError, httpError, invalidFields } from '../http/http-error.ts';
import { type DescribedRoute, defineOperation, json } from '../http/operation.ts';
import { recordInPath } from './access.ts';
import { formatAmount, pendingOf, refundableOf, refundShare } from './amounts.ts';
import { disputeCapture } from './disputes.ts';
import { exchange, flatFee, rateFee } from './exchange.ts';
import { descriptor, reference } from './fields.ts';
import { reportCapture } from './fraud-alerts.ts';
import { addToTrail } from './lines.ts';
import { fundingCurrency } from './merchant-row.ts';
import { lockTransaction } from './rows.ts';
import {
  showTransaction,
  Transaction,
  type TransactionRow,
  trailsOf,
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

/** The three movements of a transaction's money. */
export type MovementKind = 'capture' | 'refund' | 'void';

/** The fields of a movement. `amount` is minor units of the transaction's currency. */
export interface MovementInput {
  readonly amount: number;
  readonly currency?: string | undefined;
  readonly descriptor?: string | undefined;
}

const apply = { capture, refund, void: voidPending };

/**
 * Applies a movement and returns the changed transaction. Counters, trail, line and balance
 * change together. The caller must have locked the transaction and checked that the movement
 * fits.
 */
export async function applyMovement(
  environment: Environment,
  tx: Queryable,
  row: TransactionRow,
  kind: MovementKind,
  input: MovementInput,
): Promise<TransactionRow> {
  await apply[kind](environment, tx, row, input);
  const rows = await tx.query<TransactionRow>('SELECT * FROM transaction WHERE id = $1', [row.id]);
  return singleRow(rows);
}

async function capture(
  environment: Environment,
  tx: Queryable,
  row: TransactionRow,
  input: MovementInput,
): Promise<void> {
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
  await disputeCapture(environment, tx, row, { amount: input.amount, gross });
  await reportCapture(environment, tx, row);
}

async function refund(
  environment: Environment,
  tx: Queryable,
  row: TransactionRow,
  input: MovementInput,
): Promise<void> {
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

async function voidPending(
  environment: Environment,
  tx: Queryable,
  row: TransactionRow,
  input: MovementInput,
): Promise<void> {
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
