import type { GraphQLParams } from 'graphql-yoga';
import { identifyOnConnection, ownerOf } from '../access/identity.ts';
import type { Execute } from '../http/executed.ts';
import type { RequestParams } from '../http/read-params.ts';
import type { Flights } from '../upstream/flights.ts';
import { createContext } from './create-context.ts';
import { admit, execute, prepare, type Result, toFastResponse, typeOf } from './fast-path.ts';
import type { Pipeline } from './pipeline.ts';
import { toDocumentError, toRefusal } from './responses.ts';
import { createSharedQueries } from './shared-queries.ts';
import { createYogaServer } from './yoga.ts';

/** How requests are executed. */
export interface ExecuteOptions {
  /** Whether usual requests are executed without Yoga's HTTP layer. */
  readonly fastPath: boolean;
  /** Queries that requests share; undefined if each is executed alone. */
  readonly flights: Flights<Result | undefined> | undefined;
}

/**
 * Creates the executor of GraphQL requests. Its steps: identify the sender, find the document, read
 * and measure it, admit the request, execute it, and serialise the result. For requests that the
 * fast path does not handle, Yoga takes the steps after the second.
 */
export function createExecute(pipeline: Pipeline, options: ExecuteOptions): Execute {
  const { shared, rate, resolve, startRecord } = pipeline;
  const { fastPath } = options;
  const identify = identifyOnConnection(shared.identify);
  const runYoga = createYogaServer(pipeline);
  const queries = createSharedQueries(pipeline, identify, fastPath ? options.flights : undefined);

  return {
    join: queries.join,
    run: async (request, response, body, asked) => {
      const record = startRecord(request.headers);
      const identified = identify(request);
      const identity = identified instanceof Promise ? await identified : identified;
      const type = typeOf(request);
      // A sender who must wait is refused before anything else is done for the request.
      const refused = type === undefined ? undefined : rate.refusal(identity);
      if (type !== undefined && refused !== undefined) {
        record.noteCaller(ownerOf(identity));
        return toRefusal(refused, asked.query ?? '', type, rate, record);
      }
      const query = resolve(asked);
      if (typeof query !== 'string') {
        return toDocumentError(request, query, asked.query ?? '', record);
      }
      const params = asked.query === undefined ? withText(asked, query) : asked;
      try {
        const isUsual = fastPath && type !== undefined;
        const prepared = isUsual ? prepare(pipeline, params, record) : undefined;
        if (isUsual && prepared !== undefined) {
          const admitted = admit(pipeline, identity, prepared, type, record);
          const rejected = admitted instanceof Promise ? await admitted : admitted;
          if (rejected !== undefined) return rejected;
          const context = createContext(shared, identity, record.allowance);
          const work = execute(pipeline, prepared, record, context);
          queries.share(identity, body, prepared, work);
          const result = await work;
          if (result !== undefined) return toFastResponse(result, type, rate, record);
        }
        return await runYoga(request, response, { params, record, identity });
      } catch (error) {
        // Nobody gets a response, so the request must release what it holds.
        record.allowance.end();
        throw error;
      }
    },
  };
}

/** Replaces the id or hash of a document in a request with its text. */
function withText(
  { documentId: _id, persistedHash: _hash, ...params }: RequestParams,
  query: string,
): GraphQLParams {
  return { ...params, query };
}
