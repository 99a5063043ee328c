import { OperatorError } from './operator-error.ts';

/** Version of the messages; both sides must have the same one. */
export const PROTOCOL = 1;

/** The only line that a client sends. */
export interface SocketRequest {
  readonly protocol: number;
  /** The arguments after `tillgraph money`. */
  readonly args: readonly string[];
  /** Name of the operator's account. */
  readonly by: string;
  /** App key to read the service with; without it, the gateway uses its own. */
  readonly key?: string;
}

/** A line that the gateway sends: something to print, and then how the command ended. */
export type SocketReply =
  | { readonly print: string }
  | { readonly exit: 0 }
  | { readonly exit: 1 | 2; readonly error: string };

/** Reads a request. Throws an {@link OperatorError} if it is not one of this version. */
export function readRequest(line: string): SocketRequest {
  const value = parse(line);
  if (typeof value !== 'object' || value === null) throw INVALID;
  // Every property is checked below.
  const { protocol, args, by, key } = value as Partial<Record<keyof SocketRequest, unknown>>;
  if (typeof protocol !== 'number') throw INVALID;
  if (protocol !== PROTOCOL) {
    throw new OperatorError('The gateway has another version of Tillgraph than this command.');
  }
  if (typeof by !== 'string' || !isTexts(args)) throw INVALID;
  if (key === undefined) return { protocol, args, by };
  if (typeof key !== 'string') throw INVALID;
  return { protocol, args, by, key };
}

const INVALID = new OperatorError('The gateway received a request that is not valid.');

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
