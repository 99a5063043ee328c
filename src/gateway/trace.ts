import { createHash, randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import {
  type DocumentNode,
  type GraphQLError,
  getOperationAST,
  type OperationDefinitionNode,
} from 'graphql';
import { requestEnds, requestStarts, type Scope } from './channels.ts';
import type { Log, RequestLine } from './log.ts';
import type { Taken } from './protect/rate-limit.ts';
import { type Allowance, type AllowanceLimits, createAllowance } from './rest/allowance.ts';

/** What a request cost. */
interface Cost {
  /** Its complexity. */
  readonly points: number;
  readonly taken: Taken;
}

/** What is found out about one request while it is answered. */
export interface Trace {
  readonly allowance: Allowance;
  /** Identifies the request in what is published. */
  readonly scope: Scope;
  /** Notes which operation is executed. */
  noteOperation(document: DocumentNode, operationName: string | null | undefined): void;
  /** Notes the errors of the response. */
  noteErrors(errors: readonly GraphQLError[]): void;
  /** What the request cost; undefined if it is not known yet. */
  readonly cost: Cost | undefined;
  /** Notes the complexity of the operation, and what its owner has left. */
  noteCost(points: number, taken: Taken): void;
  /** Notes that the operation was executed, so its errors are not those of the document. */
  noteExecution(): void;
  /** Logs and publishes that the request was answered. */
  end(status: number, document: string): void;
}

const REQUEST_ID = /^[\w-]{1,64}$/;
const HASH_DIGITS = 16;
const CODE = /^[A-Z_]{1,64}$/;
const NONE = '-';

/** What traces have in common. */
export interface TraceOptions {
  readonly limits: AllowanceLimits;
  /** Whether the log shows the names of operations. */
  readonly showsNames: boolean;
  readonly log: Log;
}

/** Begins the trace of a request. Its id is the header `x-request-id` if that is an id. */
export function startTrace(
  headers: IncomingHttpHeaders,
  { limits, showsNames, log }: TraceOptions,
): Trace {
  const start = performance.now();
  const id = headers['x-request-id'];
  const requestId = typeof id === 'string' && REQUEST_ID.test(id) ? id : randomUUID();
  const allowance = createAllowance(requestId, limits);
  const scope = allowance.usage;
  if (requestStarts.hasSubscribers) requestStarts.publish({ scope, headers });
  let operation: OperationDefinitionNode | null | undefined;
  let cost: Cost | undefined;
  let errorCount = 0;
  let wasExecuted = false;
  const codes = new Set<string>();

  function toLine(status: number, document: string): RequestLine {
    const { calls, retries, ms } = allowance.usage;
    return {
      requestId,
      operationType: operation?.operation ?? NONE,
      operationName: (showsNames && operation?.name?.value) || NONE,
      documentHash: createHash('sha256').update(document).digest('hex').slice(0, HASH_DIGITS),
      durationMs: toTenths(performance.now() - start),
      status,
      errorCodes: [...codes],
      upstreamCalls: calls,
      retries,
      usersMs: toTenths(ms.users),
      paymentsMs: toTenths(ms.payments),
    };
  }

  function publishEnd(status: number, document: string): void {
    requestEnds.publish({
      scope,
      start,
      end: performance.now(),
      type: operation?.operation,
      name: operation?.name?.value,
      documentId: undefined,
      document,
      status,
      wasExecuted,
      errors: errorCount,
      codes,
    });
  }

  return {
    allowance,
    scope,
    noteOperation: (document, name) => {
      operation = getOperationAST(document, name);
    },
    get cost() {
      return cost;
    },
    noteCost: (points, taken) => {
      cost = { points, taken };
    },
    noteExecution: () => {
      wasExecuted = true;
    },
    noteErrors: (errors) => {
      errorCount += errors.length;
      for (const { extensions } of errors) {
        const code = String(extensions?.code);
        if (CODE.test(code)) codes.add(code);
      }
    },
    end: (status, document) => {
      if (log.hasRequests) log.request(toLine(status, document));
      if (requestEnds.hasSubscribers) publishEnd(status, document);
    },
  };
}

function toTenths(ms: number): number {
  return Math.round(ms * 10) / 10;
}
