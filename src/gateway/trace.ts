import { createHash, randomUUID } from 'node:crypto';
import { type DocumentNode, type GraphQLError, getOperationAST } from 'graphql';
import type { RequestLine } from './log.ts';
import { type Allowance, type AllowanceLimits, createAllowance } from './rest/allowance.ts';

/** What is found out about one request while it is answered. */
export interface Trace {
  readonly allowance: Allowance;
  /** Notes which operation is executed. */
  noteOperation(document: DocumentNode, operationName: string | null | undefined): void;
  /** Notes the errors of the response. */
  noteErrors(errors: readonly GraphQLError[]): void;
  /** What the log shows of the request. */
  toLine(status: number, document: string): RequestLine;
}

const REQUEST_ID = /^[\w-]{1,64}$/;
const HASH_DIGITS = 16;
const CODE = /^[A-Z_]{1,64}$/;
const NONE = '-';

/**
 * Begins the trace of a request.
 *
 * @param id the header `x-request-id`; replaced if it is not an id
 */
export function startTrace(
  id: string | string[] | undefined,
  limits: AllowanceLimits,
  showsNames: boolean,
): Trace {
  const start = performance.now();
  const requestId = typeof id === 'string' && REQUEST_ID.test(id) ? id : randomUUID();
  const allowance = createAllowance(requestId, limits);
  let [operationType, operationName] = [NONE, NONE];
  const codes = new Set<string>();
  return {
    allowance,
    noteOperation: (document, name) => {
      const operation = getOperationAST(document, name);
      operationType = operation?.operation ?? NONE;
      if (showsNames) operationName = operation?.name?.value ?? NONE;
    },
    noteErrors: (errors) => {
      for (const { extensions } of errors) {
        const code = String(extensions?.code);
        if (CODE.test(code)) codes.add(code);
      }
    },
    toLine: (status, document) => {
      const { calls, retries, ms } = allowance.usage;
      return {
        requestId,
        operationType,
        operationName,
        documentHash: createHash('sha256').update(document).digest('hex').slice(0, HASH_DIGITS),
        durationMs: toTenths(performance.now() - start),
        status,
        errorCodes: [...codes],
        upstreamCalls: calls,
        retries,
        usersMs: toTenths(ms.users),
        paymentsMs: toTenths(ms.payments),
      };
    },
  };
}

function toTenths(ms: number): number {
  return Math.round(ms * 10) / 10;
}
