import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestParams } from './read-params.ts';

/** What the execution of a request has led to. */
export interface Executed {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The response, as JSON. */
  readonly text: string;
  /** Size of the response in UTF-8; Infinity if it was too large to make. */
  readonly bytes: number;
  /** Logs and publishes the end of the request. Call when the status of the answer is known. */
  end(status: number): void;
}

/** Executes GraphQL requests. */
export interface Execute {
  /** Joins the same query in flight. Undefined if there is none. */
  join(request: IncomingMessage, body: string): Promise<Executed | undefined> | undefined;
  /**
   * Executes a request.
   *
   * @param body the text that `params` were read from
   */
  run(
    request: IncomingMessage,
    response: ServerResponse,
    body: string,
    params: RequestParams,
  ): Promise<Executed>;
}
