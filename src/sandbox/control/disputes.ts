import { z } from 'zod';
import type { Queryable } from '../../database/database.ts';
import type { Environment } from '../environment.ts';
import { found, httpError, invalidField } from '../http/http-error.ts';
import type { DescribedRoute } from '../http/operation.ts';
import { formatAmount } from '../payments/amounts.ts';
import {
  DUE_AFTER_MS,
  decideDispute,
  openDispute,
  settleDisputes,
  usualReason,
} from '../payments/disputes.ts';
import { exchange } from '../payments/exchange.ts';
import { fileFraudAlert } from '../payments/fraud-alerts.ts';
import { fundingCurrency } from '../payments/merchant-row.ts';
import { lockTransaction } from '../payments/rows.ts';
import { transactionById } from '../payments/transaction-row.ts';
import type { Controlled } from './controlled.ts';
import { recordId, text, time } from './fields.ts';
import { defineOperation } from './operation.ts';

const outcome = z.enum(['won', 'lost']).describe('Whether the merchant wins or loses.');
/** Ten years, longer than any dispute. */
const MOST_OUTCOME_MS = 10 * 366 * 24 * 3_600_000;

/** A dispute to open. */
export const disputeInput = z.strictObject({
  transactionId: recordId('txn'),
  amount: z
    .int()
    .min(1)
    .optional()
    .describe('Minor units of the transaction; by default, all that is captured and not disputed.'),
  reason: z
    .strictObject({ code: z.int32(), title: text(0, 200) })
    .nullable()
    .default(usualReason)
    .describe('Null for a dispute without a reason.'),
  due: time
    .nullable()
    .optional()
    .describe('When the merchant must respond: in 14 days by default; null if not known.'),
  outcome: outcome.optional().describe('The outcome of the dispute; it stays open if left out.'),
  outcomeInMs: z
    .int()
    .min(0)
    .max(MOST_OUTCOME_MS)
    .default(0)
    .describe('Time until the dispute is decided.'),
});

/** Opens and decides disputes. */
export function disputeOperations({ environment }: Controlled): DescribedRoute[] {
  return [
    defineOperation({
      method: 'POST',
      path: '/disputes',
      summary: 'Open a dispute over a captured payment.',
      body: disputeInput,
      output: z.object({ disputeId: z.string() }),
      status: 201,
      handle: async ({ body: input }) => {
        const disputeId = await environment.database.transaction((tx) =>
          open(environment, tx, input),
        );
        await settleDisputes(environment);
        return { disputeId };
      },
    }),
    defineOperation({
      method: 'POST',
      path: '/disputes/:id/outcome',
      summary:
        'Decide a dispute now. Also accepts the id of a transaction with exactly one open dispute.',
      body: z.strictObject({ outcome }),
      handle: async ({ params, body: input }) => {
        const given = eitherId.safeParse(params.id).data;
        const id = await findDispute(environment.database, given);
        if (!(await decideDispute(environment, id, input.outcome))) {
          throw httpError(409, 'The dispute has its outcome already');
        }
        await settleDisputes(environment);
      },
    }),
  ];
}

const eitherId = z.union([recordId('dsp'), recordId('txn')]);

/** Finds a dispute by its id, or the one that is open by the id of its transaction. */
async function findDispute(database: Queryable, id: string | undefined): Promise<string> {
  const [dispute] = await database.query('SELECT 1 FROM dispute WHERE id = $1', [id ?? '']);
  if (id !== undefined && dispute !== undefined) return id;
  found(await transactionById(database, id), 'This dispute');
  const [one, other] = await database.query<{ id: string }>(
    'SELECT id FROM dispute WHERE transaction_id = $1 AND verdict IS NULL LIMIT 2',
    [id],
  );
  if (one === undefined) throw httpError(409, 'The transaction has no open dispute');
  if (other === undefined) return one.id;
  throw httpError(409, 'The transaction has several open disputes: name one by its own id');
}

async function open(environment: Environment, tx: Queryable, input: z.output<typeof disputeInput>) {
  const row = found(await transactionById(tx, input.transactionId), 'This transaction');
  const locked = await lockTransaction(tx, row);
  const most = locked.captured - locked.disputed;
  if (input.amount === undefined && most < 1) {
    throw httpError(409, 'Nothing of this transaction is captured and not disputed');
  }
  const amount = input.amount ?? most;
  if (amount > most) {
    throw invalidField('amount', `Can dispute at most ${formatAmount(most, row.currency)}`);
  }
  const now = environment.clock().getTime();
  const at = new Date(now + input.outcomeInMs);
  return openDispute(environment, tx, locked, {
    amount,
    gross: exchange(amount, row.currency, await fundingCurrency(tx, row)),
    reason: input.reason ?? undefined,
    due: dueOf(input.due, now),
    ...(input.outcome === undefined ? {} : { verdict: { outcome: input.outcome, at } }),
  });
}

function dueOf(given: string | null | undefined, now: number): Date | undefined {
  if (given === null) return undefined;
  const due = given === undefined ? new Date(now + DUE_AFTER_MS) : new Date(given);
  if (due.getTime() > now) return due;
  throw invalidField('due', `Must be later than the clock: ${new Date(now).toISOString()}`);
}

/** A fraud alert to file. */
export const fraudAlertInput = z.strictObject({
  transactionId: recordId('txn'),
  reason: z.int().min(0).max(8).nullable().default(1).describe('Null if not known.'),
  reported: time
    .nullable()
    .optional()
    .describe('When the customer reported the fraud: now by default; null if not known.'),
});

/** Files fraud alerts. */
export function fraudAlertOperations({ environment }: Controlled): DescribedRoute[] {
  return [
    defineOperation({
      method: 'POST',
      path: '/frauds',
      summary: 'File a fraud alert over a transaction. A transaction has at most one.',
      body: fraudAlertInput,
      output: z.object({ fraudId: z.string() }),
      status: 201,
      handle: ({ body: { transactionId, reason, reported: given } }) =>
        environment.database.transaction(async (tx) => {
          const row = found(await transactionById(tx, transactionId), 'This transaction');
          const locked = await lockTransaction(tx, row);
          const now = environment.clock();
          const reported = given === undefined ? now : given === null ? undefined : new Date(given);
          if (reported !== undefined && reported > now) {
            throw invalidField(
              'reported',
              `Must not be later than the clock: ${now.toISOString()}`,
            );
          }
          const fraudId = await fileFraudAlert(environment, tx, locked, {
            reported,
            reason: reason ?? undefined,
          });
          if (fraudId !== undefined) return { fraudId };
          throw httpError(409, 'The transaction has a fraud alert already');
        }),
    }),
  ];
}
