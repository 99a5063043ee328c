import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import {
  type DocumentNode,
  type GraphQLError,
  getOperationAST,
  type OperationDefinitionNode,
} from 'graphql';
import type { Taken } from '../access/rate-accounts.ts';
import { requestEnds, requestStarts, type Scope } from '../channels.ts';
import type { Log, RequestLine } from '../telemetry/log.ts';
import { type Allowance, type AllowanceLimits, createAllowance } from '../upstream/allowance.ts';
import { hashOf } from './documents/document-cache.ts';
import type { PersistedDocuments } from './documents/persisted/persisted-documents.ts';

/** What a request cost. */
interface Cost {
  /** Its complexity. */
  readonly points: number;
  readonly taken: Taken;
}

const REQUEST_ID = /^[\w-]{1,64}$/;
const HASH_DIGITS = 16;
/** Characters of a digest in Base64: 72 bits. */
const CALLER_DIGITS = 12;
const CODE = /^[A-Z_]{1,64}$/;
const NONE = '-';

/** What the records of requests have in common. */
export interface RecordOptions {
  readonly limits: AllowanceLimits;
  /** Whether the log shows the names of operations. */
  readonly showsNames: boolean;
  readonly log: Log;
  /** Which documents are known. */
  readonly persisted: Pick<PersistedDocuments, 'isOn' | 'idOf'>;
}

/** What the gateway finds out about a request while it answers it. */
export class RequestRecord {
  readonly allowance: Allowance;
  /** Identifies the request in published messages. */
  readonly scope: Scope;
  readonly #options: RecordOptions;
  readonly #start = performance.now();
  #operation: OperationDefinitionNode | null | undefined;
  #document: DocumentNode | undefined;
  #caller = '';
  #cost: Cost | undefined;
  /** Whether the response was not created because it would be too large. */
  isTooLarge = false;
  #errors = 0;
  #wasExecuted = false;

  constructor(headers: IncomingHttpHeaders, options: RecordOptions) {
    const id = headers['x-request-id'];
    const requestId = typeof id === 'string' && REQUEST_ID.test(id) ? id : randomUUID();
    this.#options = options;
    this.allowance = createAllowance(requestId, options.limits);
    this.scope = this.allowance.usage;
    if (requestStarts.hasSubscribers) requestStarts.publish({ scope: this.scope, headers });
  }

  /** What the request cost; undefined if it is not known yet. */
  get cost(): Cost | undefined {
    return this.#cost;
  }

  /** Notes the document of the request. */
  noteDocument(document: DocumentNode): void {
    this.#document = document;
  }

  /** The id of a persisted document. */
  get #documentId(): string | undefined {
    return this.#document && this.#options.persisted.idOf(this.#document);
  }

  /** Notes which operation is executed. */
  noteOperation(document: DocumentNode, operationName: string | null | undefined): void {
    this.noteDocument(document);
    this.#operation = getOperationAST(document, operationName);
  }

  /** Notes who sends the request, as the digest of a credential; empty without one. */
  noteCaller(digest: string): void {
    this.#caller = digest;
  }

  /** Notes the complexity of the operation, and what its owner has left. */
  noteCost(points: number, taken: Taken): void {
    this.#cost = { points, taken };
  }

  /** Notes that the operation was executed, so errors do not come from the document. */
  noteExecution(): void {
    this.#wasExecuted = true;
  }

  /** Notes the errors of the response. */
  noteErrors(errors: readonly GraphQLError[]): void {
    this.#errors += errors.length;
    for (const { extensions } of errors) {
      const code = String(extensions?.code);
      if (CODE.test(code)) this.allowance.usage.errorCodes.add(code);
    }
  }

  /** Logs and publishes that the request was answered. */
  end(status: number, document: string): void {
    this.allowance.end();
    const { log } = this.#options;
    if (log.hasRequests) log.request(this.#toLine(status, document));
    if (requestEnds.isWanted(this.scope)) this.#publishEnd(status, document);
  }

  #toLine(status: number, document: string): RequestLine {
    const { showsNames, persisted } = this.#options;
    const { requestId, usage } = this.allowance;
    const kind = this.#documentId === undefined ? 'unknown' : 'persisted';
    return {
      requestId,
      traceId: this.scope.trace?.traceId ?? NONE,
      caller: this.#caller.slice(0, CALLER_DIGITS) || NONE,
      operationType: this.#operation?.operation ?? NONE,
      operationName: (showsNames && this.#operation?.name?.value) || NONE,
      document: persisted.isOn ? kind : NONE,
      documentHash: hashOf(document, this.#document).slice(0, HASH_DIGITS),
      durationMs: toTenths(performance.now() - this.#start),
      status,
      errorCodes: [...usage.errorCodes],
      upstreamCalls: usage.calls,
      retries: usage.retries,
      usersMs: toTenths(usage.ms.users),
      paymentsMs: toTenths(usage.ms.payments),
    };
  }

  #publishEnd(status: number, document: string): void {
    requestEnds.publish(this.scope, {
      scope: this.scope,
      start: this.#start,
      end: performance.now(),
      type: this.#operation?.operation,
      name: this.#operation?.name?.value,
      documentId: this.#documentId,
      documentHash: () => hashOf(document, this.#document),
      status,
      wasExecuted: this.#wasExecuted,
      errors: this.#errors,
      codes: this.allowance.usage.errorCodes,
    });
  }
}

function toTenths(ms: number): number {
  return Math.round(ms * 10) / 10;
}
