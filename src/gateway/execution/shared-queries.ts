import type { IncomingMessage } from 'node:http';
import type { IdentifyRequest } from '../access/identity.ts';
import { type Identity, ownerOf } from '../access/identity.ts';
import { joins } from '../channels.ts';
import type { Executed } from '../http/executed.ts';
import type { Flights } from '../upstream/flights.ts';
import { admit, type Prepared, type Result, toFastResponse, typeOf } from './fast-path.ts';
import type { Pipeline } from './pipeline.ts';

/** Queries in flight, whose results requests of the same caller share. */
export interface SharedQueries {
  /** Waits for the same query in flight. Undefined if this request cannot join one. */
  join(request: IncomingMessage, body: string): Promise<Executed | undefined> | undefined;
  /** Lets other requests with the same body join the execution of a query. */
  share(
    identity: Identity,
    body: string,
    prepared: Prepared,
    work: Promise<Result | undefined>,
  ): void;
}

/** @param flights the queries in flight; undefined if each is executed alone */
export function createSharedQueries(
  pipeline: Pipeline,
  identify: IdentifyRequest,
  flights: Flights<Result | undefined> | undefined,
): SharedQueries {
  const { shared, rate, startRecord } = pipeline;
  const { deadlineMs } = shared.allowance;

  async function waitFor(
    work: Promise<Result | undefined>,
    request: IncomingMessage,
    identity: Identity,
    type: string,
  ): Promise<Executed | undefined> {
    const record = startRecord(request.headers);
    const result = await work;
    if (joins.hasSubscribers) joins.publish({ level: 'operation' });
    if (result === undefined) return undefined;
    const admitted = admit(pipeline, identity, result.prepared, type, record);
    const rejected = admitted instanceof Promise ? await admitted : admitted;
    return rejected ?? toFastResponse(result, type, rate, record);
  }

  return {
    join: (request, body) => {
      const type = typeOf(request);
      if (type === undefined || flights === undefined || flights.size === 0) return undefined;
      const identity = identify(request);
      // Two tokens of one subject may have different permissions.
      if (identity instanceof Promise || identity.hasClaims) return undefined;
      const work = flights.find(ownerOf(identity), body, performance.now() + deadlineMs);
      // A request that is refused does not wait for the work of others.
      if (work === undefined || rate.refusal(identity) !== undefined) return undefined;
      return waitFor(work, request, identity, type);
    },
    share: (identity, body, { operation }, work) => {
      if (operation.operation !== 'query' || identity.hasClaims) return;
      flights?.begin(ownerOf(identity), body, performance.now() + deadlineMs, work);
    },
  };
}
