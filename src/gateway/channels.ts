import { channel } from 'node:diagnostics_channel';
import type { IncomingHttpHeaders } from 'node:http';

/**
 * Diagnostics channels on which the gateway publishes events. Only `telemetry/` subscribes. Nothing
 * is published without a subscriber, so check `hasSubscribers` before you create a message. Times
 * are from `performance.now()`.
 */
export interface Topic<Message> {
  readonly name: string;
  readonly hasSubscribers: boolean;
  publish(message: Message): void;
}

/** Identifies a client's request in messages. All work for the request shares it. */
export interface Scope {
  /**
   * The trace of the request, set by the tracer. A weak map would cost more than everything else.
   */
  trace: { readonly traceId: string } | undefined;
  /** Whether the tracer records the request, including what is costly to find out. */
  isRecorded: boolean;
  /** Headers that the tracer adds to each call: alternating names and values. */
  callHeaders: string[];
}

/** The scope of a request that is not traced. */
export function newScope(): Scope {
  return { trace: undefined, isRecorded: false, callHeaders: [] };
}

export interface Span {
  readonly scope: Scope;
  readonly start: number;
  readonly end: number;
}

/** A phase of a request, and whether it found an error. */
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

/** A response was sent. */
export interface RequestEnd extends Span {
  /** Undefined if it is not known which operation the client requested. */
  readonly type: string | undefined;
  /** As written by the client, unchecked. */
  readonly name: string | undefined;
  /** The id of a persisted document; undefined for others. */
  readonly documentId: string | undefined;
  /** Returns the SHA-256 of the document, in hexadecimal. The document itself may contain secrets. */
  readonly documentHash: () => string;
  readonly status: number;
  readonly wasExecuted: boolean;
  /** Number of errors in the response. */
  readonly errors: number;
  /** Their distinct codes, and those of typed errors of mutations. */
  readonly codes: Iterable<string>;
}

/** A call to a service starts. A subscriber may add headers to this call. */
export interface RestCallStart {
  readonly scope: Scope;
  /** Alternating names and values. */
  readonly headers: string[];
  /** Set by the tracer. */
  spanId: string | undefined;
}

/**
 * A call to a service ended. Does not contain the caller's key, because subscribers may keep the
 * message.
 */
export interface RestCallEnd extends Span {
  readonly origin: string;
  /** Path of the service's base address, without a trailing slash. */
  readonly base: string;
  readonly method: string;
  /** Below the base address, with the query. It contains ids. */
  readonly path: string;
  /** Number of reads that the request had already retried. */
  readonly retries: number;
  readonly spanId: string | undefined;
  /** Status of the response; 0 without one. */
  readonly status: number;
  /** The kind of the failure. */
  readonly failure: string | undefined;
}

/**
 * A topic about clients' requests. Subscribers choose all requests, or only recorded ones, so that
 * requests that are not recorded cost nothing.
 */
class RequestTopic<Message> {
  readonly ofAll: Topic<Message>;
  readonly ofRecorded: Topic<Message>;

  constructor(name: string) {
    this.ofAll = topic(name);
    this.ofRecorded = topic(`${name}:recorded`);
  }

  /** Whether to create a message about the request with this scope. */
  isWanted({ isRecorded }: Scope): boolean {
    return this.ofAll.hasSubscribers || (isRecorded && this.ofRecorded.hasSubscribers);
  }

  publish({ isRecorded }: Scope, message: Message): void {
    if (this.ofAll.hasSubscribers) this.ofAll.publish(message);
    if (isRecorded && this.ofRecorded.hasSubscribers) this.ofRecorded.publish(message);
  }
}

function topic<Message>(name: string): Topic<Message> {
  // A channel accepts any message; only this function types it.
  return channel(`tillgraph:${name}`) as Topic<Message>;
}

export const requestStarts = topic<RequestStart>('request:start');
export const requestEnds = new RequestTopic<RequestEnd>('request:end');
export const parses = topic<Phase>('parse');
export const validations = topic<Phase>('validate');
export const coercions = topic<Phase>('coerce');
export const executions = new RequestTopic<Phase>('execute');
/** Published only for recorded requests. */
export const restCallStarts = topic<RestCallStart>('rest:start');
export const restCallEnds = new RequestTopic<RestCallEnd>('rest:end');
/** The store of money operations responded, or timed out. */
export const storeUses = topic<{ readonly ms: number; readonly failed: boolean }>('store');
/** A call was not made, and why. */
export const restCallsNotMade = topic<{ readonly service: string; readonly reason: string }>(
  'rest:not-made',
);
/** A read is retried. */
export const retries = topic<{ readonly service: string }>('retry');
/** A breaker opened or closed. */
export const breakers = topic<{ readonly service: string; readonly state: 'open' | 'closed' }>(
  'breaker',
);
/** The gateway rejected a request before executing anything. */
export const rejections = topic<{ readonly code: string; readonly status: number }>('reject');
/** A response was created, by this path through the gateway. */
export const responses = topic<{ readonly path: 'fast' | 'yoga' }>('response');
/** A request joined another one in flight instead of doing the same work. */
export const joins = topic<{ readonly level: 'operation' | 'upstream' }>('join');
/** An attempt to deliver a webhook has ended. */
export const webhookAttempts = topic<{ readonly result: 'accepted' | 'refused' | 'failed' }>(
  'webhook',
);
/** A money operation has a new state. */
export const moneyTransitions = topic<{
  readonly kind: string;
  readonly from: string | undefined;
  readonly to: string;
}>('money');
