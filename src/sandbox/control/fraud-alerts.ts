import { z } from 'zod';
import { httpError, invalidField } from '../http/http-error.ts';
import type { DescribedRoute } from '../http/operation.ts';
import { fileFraudAlert } from '../payments/fraud-alerts.ts';
import { lockTransaction } from '../payments/locks.ts';
import { transactionById } from '../payments/transaction-row.ts';
import type { Controlled } from './controlled.ts';
import { recordId, time } from './fields.ts';
import { defineOperation, found } from './operation.ts';

const body = z.strictObject({
  transactionId: recordId('txn'),
  reason: z.int().min(0).max(8).nullable().default(1).describe('Null if not known.'),
  reported: time
    .nullable()
    .optional()
    .describe('When the customer reported the fraud: now by default; null if not known.'),
});

/** Fraud alerts: file one. */
export function fraudAlertOperations({ environment }: Controlled): DescribedRoute[] {
  return [
    defineOperation({
      method: 'POST',
      path: '/frauds',
      summary: 'File a fraud alert over a transaction. A transaction has at most one.',
      body,
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
