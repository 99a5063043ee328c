import type { ServiceName } from '../gateway/rest/rest-error.ts';
import type { Started } from '../startup-output.ts';

/** What a worker has seen of a service since it last reported. */
export interface CallReport {
  /** Which state of the breaker the calls belong to. */
  readonly generation: number;
  /** First attempts to read. */
  readonly reads: number;
  /** Calls that succeeded. */
  readonly successes: number;
  /** How the last call failed; absent if none did. */
  readonly failure?: 'FAILURE' | 'ERROR';
}

/** The state of a breaker, for the workers. */
export interface BreakerState {
  /** Grows whenever the breaker opens or closes. */
  readonly generation: number;
  /** How long no call is made, in milliseconds; absent while the breaker is closed. */
  readonly openForMs?: number;
}

/** Whether a worker may make the one call that decides whether others follow. */
export type Probe = { readonly isGranted: true } | { readonly retryAfterMs: number };

/** What the primary offers to its workers. */
export type PrimaryOffer = {
  /** The worker receives messages. Those that were sent before are lost. */
  connected(): void;
  /** The worker accepts requests. */
  started(started: Started): void;
  report(service: ServiceName, report: CallReport): Promise<{ readonly retriesLeft: number }>;
  probe(service: ServiceName): Probe;
  endProbe(service: ServiceName, outcome: string): void;
  /** Takes a repeat of a read, after it has counted these first attempts. */
  takeRepeat(service: ServiceName, reads: number): boolean;
};

/** Why a worker stops: as the primary, or because another one takes its place. */
export type StopReason = 'SIGINT' | 'SIGTERM' | 'REPLACED';

/** What a worker offers to the primary. */
export type WorkerOffer = {
  stop(reason: StopReason): void;
  /** What the worker has seen and not yet reported. */
  gather(service: ServiceName): CallReport;
  setBreaker(service: ServiceName, state: BreakerState): void;
  readReadiness(): { readonly status: number; readonly body: string };
};
