import type { IncomingMessage } from 'node:http';
import {
  type DocumentNode,
  GraphQLError,
  getOperationAST,
  type OperationDefinitionNode,
} from 'graphql';
import type { GraphQLParams } from 'graphql-yoga';
import { type Identify, type Identity, ownerOf } from '../access/identity.ts';
import type { Taken } from '../access/rate-accounts.ts';
import { createContext } from '../context/create-context.ts';
import { responseTypeFor } from '../http/accept.ts';
import type { Executed } from '../http/executed.ts';
import { isLongerThan } from '../http/response-length.ts';
import { joins } from '../telemetry/channels.ts';
import type { Trace } from '../telemetry/trace.ts';
import type { Flights } from '../upstream/flights.ts';
import type { Variables } from './documents/complexity.ts';
import { type Answering, COST_HEADER } from './yoga.ts';

/** What the fast path answers with. It is all made of what the other way uses as well. */
export interface FastPathOptions extends Answering {
  readonly startTrace: (request: IncomingMessage) => Trace;
  /** Queries that requests share; undefined if each is executed alone. */
  readonly flights: Flights<Answer | undefined> | undefined;
  /** Finishes the answer of one request. */
  readonly finish: (type: string, answer: Answer, trace: Trace) => Executed;
  /** Answers a request whose caller has used too much. */
  readonly refuse: (type: string, taken: Taken, document: string, trace: Trace) => Executed;
}

/** An operation that may be executed. */
interface Prepared {
  readonly documentText: string;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly variables: Variables;
  /** Its complexity. */
  readonly points: number;
}

/** An answer with the status 200. Several requests may get it: nothing in it belongs to one. */
export interface Answer {
  readonly prepared: Prepared;
  readonly text: string;
  /** Size of the text in UTF-8; Infinity if it was too long to make. */
  readonly bytes: number;
  readonly errors: readonly GraphQLError[];
}

/** Answers usual requests without the HTTP layer of Yoga. */
export interface FastPath {
  /** Joins the same query in flight. Undefined if there is none, or if this request may not. */
  join(request: IncomingMessage, body: string): Promise<Executed | undefined> | undefined;
  /** Who sends a request. */
  identify(request: IncomingMessage): Identity | Promise<Identity>;
  /**
   * Refuses a request whose caller was refused and has to wait. Undefined for others, and if Yoga
   * answers.
   */
  refuseAgain(
    request: IncomingMessage,
    identity: Identity,
    document: string,
    trace: Trace,
  ): Executed | undefined;
  /** Undefined if Yoga answers: nothing was executed then. */
  run(
    request: IncomingMessage,
    identity: Identity,
    body: string,
    params: GraphQLParams,
    trace: Trace,
  ): Promise<Executed | undefined> | undefined;
}

/** Creates the fast path. */
export function createFastPath(options: FastPathOptions): FastPath {
  const { shared, rate, flights, startTrace, finish, refuse } = options;
  const { deadlineMs } = shared.allowance;
  // Yoga adds what a request costs.
  const typeOf = ({ headers }: IncomingMessage) =>
    headers[COST_HEADER] === undefined ? responseTypeFor(headers.accept) : undefined;
  const identify = identifyOnConnection(shared.identify);

  async function join(
    request: IncomingMessage,
    type: string,
    identity: Identity,
    work: Promise<Answer | undefined>,
  ): Promise<Executed | undefined> {
    const trace = startTrace(request);
    const answer = await work;
    if (joins.hasSubscribers) joins.publish({ level: 'operation' });
    if (answer === undefined) return undefined;
    const refused = admit(options, identity, type, answer.prepared, trace);
    return (refused instanceof Promise ? await refused : refused) ?? finish(type, answer, trace);
  }

  async function runAs(
    identity: Identity,
    request: IncomingMessage,
    body: string,
    prepared: Prepared,
    trace: Trace,
  ): Promise<Executed | undefined> {
    const type = typeOf(request);
    const owner = ownerOf(identity);
    if (type === undefined) return undefined;
    const admitted = admit(options, identity, type, prepared, trace);
    const refused = admitted instanceof Promise ? await admitted : admitted;
    if (refused !== undefined) return refused;
    const work = answer(options, prepared, trace, createContext(shared, identity, trace.allowance));
    if (prepared.operation.operation === 'query' && !identity.hasClaims) {
      flights?.begin(owner, body, performance.now() + deadlineMs, work);
    }
    const made = await work;
    return made && finish(type, made, trace);
  }

  return {
    join: (request, body) => {
      const type = typeOf(request);
      if (type === undefined || flights === undefined || flights.size === 0) return undefined;
      const identity = identify(request);
      // Two tokens of one subject may allow different things.
      if (identity instanceof Promise || identity.hasClaims) return undefined;
      const work = flights.find(ownerOf(identity), body, performance.now() + deadlineMs);
      // Who is refused does not wait for the work of others.
      if (work === undefined || rate.refusal(identity) !== undefined) return undefined;
      return join(request, type, identity, work);
    },
    identify,
    refuseAgain: (request, identity, document, trace) => {
      const refused = rate.refusal(identity);
      const type = typeOf(request);
      if (refused === undefined || type === undefined) return undefined;
      trace.noteCaller(ownerOf(identity));
      return refuse(type, refused, document, trace);
    },
    run: (request, identity, body, params, trace) => {
      const prepared = prepare(options, params, trace);
      return prepared && runAs(identity, request, body, prepared, trace);
    },
  };
}

/**
 * Takes the points of a request. Returns the answer to a request that is refused. Waits only if the
 * limit does.
 */
function admit(
  { rate, refuse }: FastPathOptions,
  identity: Identity,
  type: string,
  { points, documentText, document, operation }: Prepared,
  trace: Trace,
): Executed | undefined | Promise<Executed | undefined> {
  trace.noteCaller(ownerOf(identity));
  const note = (taken: Taken) => {
    trace.noteCost(points, taken);
    if (taken.isGranted) return undefined;
    trace.noteOperation(document, operation.name?.value);
    return refuse(type, taken, documentText, trace);
  };
  const taken = rate.take(identity, points);
  return taken instanceof Promise ? taken.then(note) : note(taken);
}

/** Finds out once for each connection who sends its requests, unless the header changes. */
function identifyOnConnection(identify: Identify) {
  const known = new WeakMap<object, { readonly header: string; readonly identity: Identity }>();
  return ({ headers, socket }: IncomingMessage): Identity | Promise<Identity> => {
    const header = headers.authorization ?? '';
    const before = known.get(socket);
    if (before?.header === header) return before.identity;
    const identity = identify(header);
    // A token expires.
    if (!(identity instanceof Promise)) known.set(socket, { header, identity });
    return identity;
  };
}

function prepare(
  { read, measure, maxComplexity }: FastPathOptions,
  { query = '', variables = {}, operationName }: GraphQLParams,
  { scope }: Trace,
): Prepared | undefined {
  const found = read(query, scope);
  if (!('document' in found)) return undefined;
  const { document } = found;
  const operation = getOperationAST(document, operationName);
  // Yoga says that there are no subscriptions.
  if (!operation || operation.operation === 'subscription') return undefined;
  const points = measure(document, operation, variables);
  if (points > maxComplexity) return undefined;
  return { documentText: query, document, operation, variables, points };
}

/** Undefined if the variables are not valid, so that nothing was executed. */
async function answer(
  { execute, maskError, maxResponseBytes }: FastPathOptions,
  prepared: Prepared,
  { scope }: Trace,
  context: object,
): Promise<Answer | undefined> {
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
