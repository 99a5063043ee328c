import { destination } from 'pino';

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
export function standardError(): LogStream {
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
