import { destination, pino } from 'pino';

/** Which lines are written. */
type LogLevel = 'info' | 'warn' | 'error' | 'off';

/**
 * A request that was answered, as the log shows it. Only what the gateway itself has found out:
 * no field contains anything that a client or a service has sent, except the id of the request
 * and, if that is turned on, the name of the operation.
 */
export interface RequestLine {
  readonly requestId: string;
  /** The id of its trace; `-` if the gateway does not trace. */
  readonly traceId: string;
  /**
   * The same for all requests with one app key, or of one token's subject; `-` without one, and for
   * documents that are not valid. It is made with a random salt, so it says nothing about the key.
   */
  readonly caller: string;
  readonly operationType: string;
  readonly operationName: string;
  /** Whether the gateway knows the document by an id; `-` if it knows none at all. */
  readonly document: '-' | 'persisted' | 'unknown';
  readonly documentHash: string;
  readonly durationMs: number;
  readonly status: number;
  readonly errorCodes: readonly string[];
  readonly upstreamCalls: number;
  readonly retries: number;
  readonly usersMs: number;
  readonly paymentsMs: number;
}

/**
 * Calls to a service that have failed for the same reason, as the log shows the last of them. No
 * field contains a key, an id, a query or a body.
 */
export interface FailedCallLine {
  readonly service: string;
  readonly method: string;
  /** The path with `:id` in place of ids. */
  readonly route: string;
  /** Of the response; 0 without one, or if only its content shows that it cannot be used. */
  readonly status: number;
  readonly cause: string;
  /** How many calls this line stands for. */
  readonly count: number;
}

/** Tokens that were not accepted for the same reason. No field contains anything of a token. */
export interface RejectedTokenLine {
  readonly cause: string;
  /** How many tokens this line stands for. */
  readonly count: number;
}

/** Writes JSON lines. */
export interface Log {
  /** Whether requests are logged. */
  readonly hasRequests: boolean;
  request(line: RequestLine): void;
  failedCall(line: FailedCallLine): void;
  rejectedToken(line: RejectedTokenLine): void;
  /** Says what happens as it should. */
  info(message: string): void;
  /** A message for the operator. */
  warn(message: string): void;
  /** An error that is a bug in the gateway. */
  bug(error: unknown): void;
}

/**
 * Creates a log. Lines are written at once, to standard error unless another stream is given.
 *
 * @param worker which of several workers writes
 */
export function createLog(level: LogLevel, stream?: LogStream, worker?: number): Log {
  const logger = pino(
    {
      level: level === 'off' ? 'silent' : level,
      base: worker === undefined ? null : { worker },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    stream ?? standardError(),
  );
  return {
    hasRequests: logger.isLevelEnabled('info'),
    request: (line) => logger.info(line),
    failedCall: (line) => logger.warn(line, 'A call to a service has failed.'),
    rejectedToken: (line) => logger.warn(line, 'A token was not accepted.'),
    info: (message) => logger.info(message),
    warn: (message) => logger.warn(message),
    bug: (error) => {
      const stack = error instanceof Error ? error.stack : String(error);
      logger.error({ stack }, 'This is a bug in the gateway.');
    },
  };
}

/** Where lines are written. */
export interface LogStream {
  write(line: string): void;
}

const STANDARD_ERROR = 2;
/** What is kept while nobody reads the log. */
const MAX_BYTES = 4 * 1_024 * 1_024;
/** What a pipe takes as a whole or not at all, so that the lines of several workers do not mix. */
const PIPE_BYTES = 4_096;
const RETRY_MS = 50;
/** How long the end of the process waits for a reader that does not read. */
const END_WITHIN_MS = 2_000;

let opened: LogStream | undefined;

/** Standard error, for all logs of this process. */
function standardError(): LogStream {
  opened ??= openStandardError();
  return opened;
}

/**
 * Writes each line at once, so that none is lost if the process is killed, and waits for no
 * reader: what a full pipe does not take is kept and written later. Lines for which there is no
 * room are dropped, and their number is written when there is room again.
 */
function openStandardError(): LogStream {
  let dropped = 0;
  let retry: NodeJS.Timeout | undefined;
  /** When the end of the process waits no more, and what was left to write when it began to. */
  let end: { at: number; left: number } | undefined;
  // Node sets a pipe that it opens to report that it is full. Otherwise a write would wait.
  void process.stderr.writable;
  const stream = destination({
    dest: STANDARD_ERROR,
    sync: true,
    // A flush without a least length does nothing.
    minLength: 1,
    maxLength: MAX_BYTES,
    maxWrite: PIPE_BYTES,
    // The stream would wait, and nothing else would run. At the end of the process nothing else does.
    retryEAGAIN: (_error, chunk, others) => {
      if (end === undefined) return false;
      const now = performance.now();
      const left = chunk + others;
      if (left !== end.left) end = { at: now + END_WITHIN_MS, left };
      return now < end.at;
    },
  });
  stream.on('error', ({ code }: NodeJS.ErrnoException) => {
    // What was not written is kept. A reader that is gone does not come back.
    if (code === 'EPIPE' || retry !== undefined) return;
    retry = setTimeout(() => {
      retry = undefined;
      stream.flush();
    }, RETRY_MS).unref();
  });
  stream.on('drop', () => {
    if (dropped++ > 0) return;
    stream.once('drain', () => {
      const message = `${dropped} lines of the log were dropped, because nothing has read the log.`;
      dropped = 0;
      stream.write(
        `${JSON.stringify({ level: 'warn', time: new Date().toISOString(), msg: message })}\n`,
      );
    });
  });
  // Also after an error that nobody has caught.
  process.on('exit', () => {
    end = { at: 0, left: 0 };
    try {
      stream.flushSync();
    } catch {
      // Nothing reads the log.
    }
  });
  return stream;
}
