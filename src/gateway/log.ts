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

/** Writes JSON lines. */
export interface Log {
  /** Whether requests are logged. */
  readonly hasRequests: boolean;
  request(line: RequestLine): void;
  /** A message for the operator. */
  warn(message: string): void;
  /** An error that is a bug in the gateway. */
  bug(error: unknown): void;
}

/** Where lines are written. */
export interface LogStream {
  write(line: string): void;
}

const STANDARD_ERROR = 2;

/** Creates a log. Lines are written at once, to standard error unless another stream is given. */
export function createLog(level: LogLevel, stream?: LogStream): Log {
  const logger = pino(
    {
      level: level === 'off' ? 'silent' : level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    stream ?? destination({ fd: STANDARD_ERROR, sync: true }),
  );
  return {
    hasRequests: logger.isLevelEnabled('info'),
    request: (line) => logger.info(line),
    warn: (message) => logger.warn(message),
    bug: (error) => {
      const stack = error instanceof Error ? error.stack : String(error);
      logger.error({ stack }, 'This is a bug in the gateway.');
    },
  };
}
