import type { Operation, OperationState } from '../../../money/engine/operation.ts';
import type {
  ListedOperation,
  OperationQuery,
  Place,
} from '../../../money/store/operation-store.ts';
import { badInput } from '../../../schema/bad-input.ts';
import { builder } from '../../../schema/builder.ts';
import { connectionType, pagingArgs } from '../../../schema/connection.ts';
import type { Context } from '../../../schema/context.ts';
import {
  type Connection,
  LazyPageInfo,
  type PagingArguments,
  readWindow,
  toCursor,
} from '../../../schema/paging.ts';
import { semanticNonNull } from '../../../schema/semantic-non-null.ts';
import { DateTimeRange } from '../../../search/range.ts';
import { readString } from '../../../upstream/record.ts';
import { callLimitReached } from '../../../upstream/rest-error.ts';
import { MerchantRef } from '../../merchant/merchant.ts';
import { MoneyOperationRef, MoneyOperationStatus } from '../../money-operation/money-operation.ts';
import { TransactionRef } from '../transaction.ts';

const KIND = 'mop';
const MoneyOperationConnection = connectionType('MoneyOperation', MoneyOperationRef);

const AS_RECORDED =
  'Each operation has the status that was last recorded. If it is `UNKNOWN`, `Query.moneyOperation` checks the payments service for the outcome, unless the advice is `CONTACT_OPERATOR`.';

builder.objectField(MerchantRef, 'moneyOperations', (t) =>
  t.field({
    type: MoneyOperationConnection,
    ...semanticNonNull,
    description: `Money operations of the merchant, including those of other apps, newest first. ${AS_RECORDED}`,
    args: {
      ...pagingArgs(t.arg),
      filter: t.arg({
        type: MoneyOperationFilterInput,
        description: 'Return only operations that match this filter.',
      }),
    },
    resolve: ({ id: merchantId }, { filter, ...args }, context) =>
      listOperations({ merchantId }, filter ?? {}, args, context),
  }),
);

builder.objectField(TransactionRef, 'moneyOperations', (t) =>
  t.field({
    type: MoneyOperationConnection,
    ...semanticNonNull,
    description: `Money operations that created or change this transaction, newest first. ${AS_RECORDED}`,
    args: pagingArgs(t.arg),
    resolve: async (transaction, args, context) => {
      const merchantId = await context.transactions.read(transaction, (record) =>
        readString(record, 'merchantId'),
      );
      return listOperations({ merchantId, transactionId: transaction.id }, {}, args, context);
    },
  }),
);

interface Listed {
  readonly merchantId: string;
  readonly transactionId?: string;
}

/** A page of recorded operations. */
async function listOperations(
  listed: Listed,
  filter: MoneyOperationFilter,
  args: PagingArguments,
  context: Context,
): Promise<Connection<Operation>> {
  const { size, backward, ...ends } = readWindow(args, KIND);
  const start = readPlace(ends.start, backward ? 'before' : 'after');
  const limit = readPlace(ends.end, backward ? 'after' : 'before');
  // As in every list, a limit that is not beyond the start has no effect.
  const end = isFurther(start, limit, backward) ? limit : undefined;
  const conditions = toConditions(filter);
  const query = { ...listed, ...conditions, backward, start, end, limit: size + 1 };
  const found = conditions.states.length === 0 ? [] : await listRecorded(query, context);
  const more = found.length > size;
  const page = found.slice(0, size);
  if (backward) page.reverse();
  const edges = page.map(({ operation, place }) => ({
    cursor: toCursor(KIND, `${place.createdMicros}-${place.id}`),
    node: operation,
  }));
  const hasStart = start !== undefined;
  return {
    edges,
    pageInfo: new LazyPageInfo(edges, backward ? hasStart : more, backward ? more : hasStart),
  };
}

/** Whether `end` is beyond `start` in the reading direction. */
function isFurther(start: Place | undefined, end: Place | undefined, backward: boolean): boolean {
  if (start === undefined || end === undefined) return true;
  const [older, newer] = backward ? [start, end] : [end, start];
  const gap = newer.createdMicros - older.createdMicros;
  return gap > 0 || (gap === 0 && newer.id > older.id);
}

/** Reads the place from a cursor, which stays valid when the operation is deleted. */
function readPlace(text: string | undefined, argument: string): Place | undefined {
  if (text === undefined) return undefined;
  const [, micros, id] =
    /^(\d{1,16})-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(text) ?? [];
  if (micros === undefined || id === undefined) {
    throw badInput(`\`${argument}\` is not a cursor of this list.`, argument);
  }
  return { createdMicros: Number(micros), id };
}

/** Which operations to list. */
const MoneyOperationFilterInput = builder.inputType('MoneyOperationFilter', {
  description:
    'Conditions on a money operation. An operation must meet all of them. A list matches if any of its values matches; an empty list matches nothing. A filter without conditions has no effect.',
  fields: (t) => ({
    createdAt: t.field({
      type: DateTimeRange,
      description: 'When the gateway recorded the operation.',
    }),
    status: t.field({
      type: [MoneyOperationStatus],
      description: 'Any of these. To find all open operations, use `[IN_PROGRESS, UNKNOWN]`.',
    }),
  }),
});

/** Conditions on an operation; all must be met. */
export type MoneyOperationFilter = typeof MoneyOperationFilterInput.$inferInput;

/** The states behind each status. Released operations have none, because they are never shown. */
const states: Record<typeof MoneyOperationStatus.$inferType, readonly OperationState[]> = {
  SUCCEEDED: ['SUCCEEDED'],
  REJECTED: ['REJECTED'],
  IN_PROGRESS: ['PREPARED', 'SENDING'],
  UNKNOWN: ['UNKNOWN'],
  NOT_APPLIED: ['NOT_APPLIED'],
};

/** The states of all operations that can be shown. */
export const allStates = Object.values(states).flat();

/** A filter as conditions on stored operations. */
function toConditions({ createdAt, status }: MoneyOperationFilter) {
  return {
    states: status == null ? allStates : status.flatMap((one) => states[one]),
    from: createdAt?.from ?? undefined,
    to: createdAt?.to ?? undefined,
  };
}

/**
 * Lists recorded operations for a caller who can read their merchant; nothing for other callers.
 * The service decides, once per request. Throws if reading the merchant fails. A list counts as one
 * of the request's calls.
 */
export async function listRecorded(
  query: OperationQuery,
  context: Context,
): Promise<readonly ListedOperation[]> {
  const { merchants, money, owner, deadline } = context;
  const merchant = await merchants.load(query.merchantId);
  // An intermediary can mix up responses.
  if (merchant?.id !== query.merchantId) return [];
  if (!context.takeCall()) throw callLimitReached('payments', 'GET');
  return money.list(query, { owner, deadline });
}
