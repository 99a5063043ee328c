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

/** Reads a request. Undefined if it is not one. */
export function readRequest(line: string): SocketRequest | undefined {
  const value = parse(line);
  if (typeof value !== 'object' || value === null) return undefined;
  // Every property is checked below.
  const { protocol, args, by, key } = value as Partial<Record<keyof SocketRequest, unknown>>;
  if (typeof protocol !== 'number' || typeof by !== 'string' || !isTexts(args)) return undefined;
  if (key === undefined) return { protocol, args, by };
  return typeof key === 'string' ? { protocol, args, by, key } : undefined;
}

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
