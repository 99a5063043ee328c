import { destination, pino } from 'pino';

/** Which lines are written. */
type LogLevel = 'info' | 'warn' | 'error' | 'off';

/**
 * The log line of a request that was answered. It contains only what the gateway itself found out:
 * no field contains anything that a client or a service sent, except the id of the request and, if
 * turned on, the name of the operation.
 */
export interface RequestLine {
  readonly requestId: string;
  /** The id of its trace; `-` if the gateway does not trace. */
  readonly traceId: string;
  /**
   * The same for all requests with one app key, or with tokens of one subject; `-` if there is
   * neither, and for documents that are not valid. It is made with a random salt, so it reveals
   * nothing about the key.
   */
  readonly caller: string;
  readonly operationType: string;
  readonly operationName: string;
  /** Whether the document is persisted; `-` if persisted documents are off. */
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
 * The log line of calls to a service that failed for the same reason. It describes the last of
 * them. No field contains a key, an id, a query or a body.
 */
export interface FailedCallLine {
  readonly service: string;
  readonly method: string;
  /** The path with `:id` in place of ids. */
  readonly route: string;
  /** Status of the response; 0 without one, or if the response is JSON in an unexpected form. */
  readonly status: number;
  readonly cause: string;
  /** How many calls this line stands for. */
  readonly count: number;
}

/** The log line of tokens rejected for the same reason. No field contains any part of a token. */
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
  /** Logs an expected event. */
  info(message: string): void;
  /** Logs a message for the operator. */
  warn(message: string): void;
  /** Logs an error that is a bug in the gateway. */
  bug(error: unknown): void;
}

/**
 * Creates a log. Lines are written immediately, to standard error unless another stream is given.
 *
 * @param worker the number of this worker, if there are several
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
/** How many bytes of lines are kept while nothing reads the log. */
const MAX_BYTES = 4 * 1_024 * 1_024;
/** A pipe accepts this many bytes completely or not at all, so lines of workers never mix. */
const PIPE_BYTES = 4_096;
const RETRY_MS = 50;
/** How long the process waits at its end for a reader that does not read. */
const END_WITHIN_MS = 2_000;

let opened: LogStream | undefined;

/** Standard error, for all logs of this process. */
function standardError(): LogStream {
  opened ??= openStandardError();
  return opened;
}

/**
 * Writes each line immediately, so that none is lost if the process is killed. Does not wait for a
 * reader: what does not fit into a full pipe is kept and written later. If there is no space left,
 * lines are dropped, and their number is written once there is space again.
 */
function openStandardError(): LogStream {
  let dropped = 0;
  let retry: NodeJS.Timeout | undefined;
  /** At the end of the process: when the wait ends, and how much was left when it began. */
  let end: { at: number; left: number } | undefined;
  // Makes Node open standard error. A pipe then reports that it is full; otherwise, a write blocks.
  void process.stderr.writable;
  const stream = destination({
    dest: STANDARD_ERROR,
    sync: true,
    // Without a minimum length, a flush does nothing.
    minLength: 1,
    maxLength: MAX_BYTES,
    maxWrite: PIPE_BYTES,
    // A retry blocks the process, which is acceptable only at its end.
    retryEAGAIN: (_error, chunk, others) => {
      if (end === undefined) return false;
      const now = performance.now();
      const left = chunk + others;
      if (left !== end.left) end = { at: now + END_WITHIN_MS, left };
      return now < end.at;
    },
  });
  stream.on('error', ({ code }: NodeJS.ErrnoException) => {
    // What was not written is kept. After EPIPE, the reader is gone and does not come back.
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
  // This also runs after an uncaught error.
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
