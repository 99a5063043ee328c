import { channel } from 'node:diagnostics_channel';
import type { IncomingHttpHeaders } from 'node:http';

/**
 * Where the gateway says what it does, as channels of `node:diagnostics_channel`. Only `observe/`
 * listens. Without a listener nothing is published, so ask `hasSubscribers` before you make a
 * message. Times are those of `performance.now()`.
 */
export interface Topic<Message> {
  readonly name: string;
  readonly hasSubscribers: boolean;
  publish(message: Message): void;
}

/** Identifies a request of a client in messages: an object that all of its work shares. */
export interface Scope {
  /** What the listener that traces keeps of the request. Weak maps would cost more than the rest. */
  trace: { readonly traceId: string } | undefined;
  /** Whether it wants to know what takes time to find out. */
  isRecorded: boolean;
  /** What it adds to the headers of each call: names and values in turn. */
  callHeaders: string[];
}

/** A scope of which nobody keeps anything. */
export function newScope(): Scope {
  return { trace: undefined, isRecorded: false, callHeaders: [] };
}

export interface Span {
  readonly scope: Scope;
  readonly start: number;
  readonly end: number;
}

/** A phase of a request, and whether it has found an error. */
export interface Phase extends Span {
  /** Undefined if the document could not be read. */
  readonly type: string | undefined;
  readonly failed: boolean;
}

/** A request has arrived. */
export interface RequestStart {
  readonly scope: Scope;
  readonly headers: IncomingHttpHeaders;
}

/** A request was answered. */
export interface RequestEnd extends Span {
  /** Undefined if it is not known which operation the client wanted. */
  readonly type: string | undefined;
  /** Whatever the client has written. */
  readonly name: string | undefined;
  /** The id of a persisted document; undefined for others. */
  readonly documentId: string | undefined;
  /** Returns the SHA-256 of the document, in hexadecimal. The document itself may contain secrets. */
  readonly documentHash: () => string;
  readonly status: number;
  readonly wasExecuted: boolean;
  /** How many errors the response has. */
  readonly errors: number;
  /** Their different codes, and those of typed errors of mutations. */
  readonly codes: Iterable<string>;
}

/** A call to a service begins. A listener may add headers that only this call has. */
export interface RestCallStart {
  readonly scope: Scope;
  /** Names and values in turn. */
  readonly headers: string[];
  /** What the listener that traces keeps of the call. */
  spanId: string | undefined;
}

/** A call to a service has ended. It does not hold the caller's key, because listeners may keep it. */
export interface RestCallEnd extends Span {
  readonly origin: string;
  /** Path of the base address of the service, without a slash at its end. */
  readonly base: string;
  readonly method: string;
  /** Below the base address, with the query. It contains ids. */
  readonly path: string;
  /** How often the request has repeated reads before. */
  readonly retries: number;
  readonly spanId: string | undefined;
  /** Of the response; 0 without one. */
  readonly status: number;
  /** The kind of the failure. */
  readonly failure: string | undefined;
}

/**
 * A topic about requests of clients. A listener wants it of all of them, or only of those that are
 * recorded. If only few are recorded, nothing is made for all others.
 */
class RequestTopic<Message> {
  readonly ofAll: Topic<Message>;
  readonly ofRecorded: Topic<Message>;

  constructor(name: string) {
    this.ofAll = topic(name);
    this.ofRecorded = topic(`${name}:recorded`);
  }

  /** Ask this before you make a message about the request with this scope. */
  isWanted({ isRecorded }: Scope): boolean {
    return this.ofAll.hasSubscribers || (isRecorded && this.ofRecorded.hasSubscribers);
  }

  publish({ isRecorded }: Scope, message: Message): void {
    if (this.ofAll.hasSubscribers) this.ofAll.publish(message);
    if (isRecorded && this.ofRecorded.hasSubscribers) this.ofRecorded.publish(message);
  }
}

function topic<Message>(name: string): Topic<Message> {
  // A channel takes any message; this is the only place that gives it a type.
  return channel(`tillgraph:${name}`) as Topic<Message>;
}

export const requestStarts = topic<RequestStart>('request:start');
export const requestEnds = new RequestTopic<RequestEnd>('request:end');
export const parses = topic<Phase>('parse');
export const validations = topic<Phase>('validate');
export const coercions = topic<Phase>('coerce');
export const executions = new RequestTopic<Phase>('execute');
/** Published only for requests of clients that are recorded. */
export const restCallStarts = topic<RestCallStart>('rest:start');
export const restCallEnds = new RequestTopic<RestCallEnd>('rest:end');
/** The store of money operations has responded, or has not in time. */
export const storeUses = topic<{ readonly ms: number; readonly failed: boolean }>('store');
/** A call was not made, and why. */
export const restCallsNotMade = topic<{ readonly service: string; readonly reason: string }>(
  'rest:not-made',
);
/** A read is repeated. */
export const retries = topic<{ readonly service: string }>('retry');
/** A breaker has opened or closed. */
export const breakers = topic<{ readonly service: string; readonly state: 'open' | 'closed' }>(
  'breaker',
);
/** A request was rejected before anything was executed, with a code of the gateway. */
export const rejections = topic<{ readonly code: string; readonly status: number }>('reject');
/** A request has an answer, and this path through the gateway has made it. */
export const responses = topic<{ readonly path: 'fast' | 'yoga' }>('answer');
/** A request joined another one in flight instead of doing the same work. */
export const joins = topic<{ readonly level: 'operation' | 'upstream' }>('join');
/** A money operation has a new state. */
export const moneyTransitions = topic<{
  readonly kind: string;
  readonly from: string | undefined;
  readonly to: string;
}>('money');
