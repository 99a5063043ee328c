import type { IncomingMessage } from 'node:http';
import {
  type DocumentNode,
  GraphQLError,
  getOperationAST,
  type OperationDefinitionNode,
} from 'graphql';
import type { GraphQLParams } from 'graphql-yoga';
import { type Identity, ownerOf } from '../access/identity.ts';
import type { Taken } from '../access/rate-accounts.ts';
import { type RateLimit, rateHeaders } from '../access/rate-limit.ts';
import { responses } from '../channels.ts';
import { responseTypeFor } from '../http/accept.ts';
import type { Executed } from '../http/executed.ts';
import { isLongerThan } from '../http/executed.ts';
import type { Variables } from './documents/complexity.ts';
import type { Pipeline } from './pipeline.ts';
import type { RequestRecord } from './request-record.ts';
import { toRefusal, typed } from './responses.ts';
import { COST_HEADER } from './yoga.ts';

/** An operation that may be executed. */
export interface Prepared {
  readonly documentText: string;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly variables: Variables;
  /** Its complexity. */
  readonly points: number;
}

/** A result with the status 200. Requests may share it, so nothing in it belongs to one request. */
export interface Result {
  readonly prepared: Prepared;
  /** The response, as JSON. */
  readonly text: string;
  /** Size of the text in UTF-8; Infinity if it would be too long, and was not created. */
  readonly bytes: number;
  readonly errors: readonly GraphQLError[];
}

/**
 * The media type of the response to a usual request. Undefined if Yoga responds, which can add the
 * cost of the request.
 */
export function typeOf({ headers }: IncomingMessage): string | undefined {
  return headers[COST_HEADER] === undefined ? responseTypeFor(headers.accept) : undefined;
}

/** Reads and measures the operation of a request. Undefined if Yoga should report what is wrong. */
export function prepare(
  { read, measure, maxComplexity }: Pipeline,
  { query = '', variables = {}, operationName }: GraphQLParams,
  { scope }: RequestRecord,
): Prepared | undefined {
  const found = read(query, scope);
  if (!('document' in found)) return undefined;
  const { document } = found;
  const operation = getOperationAST(document, operationName);
  // Yoga sends the messages of subscriptions.
  if (!operation || operation.operation === 'subscription') return undefined;
  const points = measure(document, operation, variables);
  if (points > maxComplexity) return undefined;
  return { documentText: query, document, operation, variables, points };
}

/**
 * Takes the points of a request from what its sender may use in a minute. Returns the response if
 * the request is refused. Returns a promise only if the rate limit does.
 */
export function admit(
  { rate }: Pipeline,
  identity: Identity,
  { points, documentText, document, operation }: Prepared,
  type: string,
  record: RequestRecord,
): Executed | undefined | Promise<Executed | undefined> {
  record.noteCaller(ownerOf(identity));
  const note = (taken: Taken) => {
    record.noteCost(points, taken);
    if (taken.isGranted) return undefined;
    record.noteOperation(document, operation.name?.value);
    return toRefusal(taken, documentText, type, rate, record);
  };
  const taken = rate.take(identity, points);
  return taken instanceof Promise ? taken.then(note) : note(taken);
}

/** Executes an operation. Undefined if the variables are not valid; nothing was executed then. */
export async function execute(
  { execute, maskError, maxResponseBytes }: Pipeline,
  prepared: Prepared,
  { scope }: RequestRecord,
  context: object,
): Promise<Result | undefined> {
  const { document, operation, variables } = prepared;
  const executed = await execute({ document, operation, variables, context, scope });
  const { data, errors: found = [] } = executed;
  if (data === undefined) return undefined;
  const errors = found.map(maskError).filter((error) => error instanceof GraphQLError);
  const response = errors.length === 0 ? { data } : { errors, data };
  if (isLongerThan(maxResponseBytes, response)) {
    return { prepared, text: '', bytes: Number.POSITIVE_INFINITY, errors };
  }
  const text = JSON.stringify(response);
  return { prepared, text, bytes: Buffer.byteLength(text), errors };
}

/** The response with a result, for one of the requests that share it. */
export function toFastResponse(
  { prepared: { document, documentText, operation }, text, bytes, errors }: Result,
  type: string,
  rate: RateLimit,
  record: RequestRecord,
): Executed {
  record.noteOperation(document, operation.name?.value);
  record.noteExecution();
  record.noteErrors(errors);
  if (responses.hasSubscribers) responses.publish({ path: 'fast' });
  const headers = { ...typed(type), ...rateHeaders(rate, record.cost?.taken) };
  return { status: 200, headers, text, bytes, end: (status) => record.end(status, documentText) };
}
