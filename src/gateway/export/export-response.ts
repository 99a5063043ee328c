import type { ServerResponse } from 'node:http';
import { drained } from '../http/send-stream.ts';
import type { ExportFormat } from './export-request.ts';
import type { ExportEnd } from './run-export.ts';
import { createWorkbook } from './workbook.ts';

const TYPES = {
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/x-ndjson; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};

/** The response that an export is written to. It starts with the first part. */
export interface ExportResponse {
  /** Writes a part. Resolves with false if the client disconnected, or if nothing more fits. */
  write(text: string): Promise<boolean>;
  /**
   * Waits for some milliseconds, or until the client disconnects. Resolves with false if it did.
   */
  pause(ms: number): Promise<boolean>;
  /** Ends the response so that every client notices if the export failed. */
  end(end: ExportEnd): void;
}

/** Statuses of exports that fail before their first part. */
const STATUSES: ReadonlyMap<string, number> = new Map([
  ['UNAUTHENTICATED', 401],
  ['FORBIDDEN', 403],
  ['NOT_FOUND', 404],
  ['BAD_USER_INPUT', 400],
]);

/** Opens the response of an export. */
export function openExport(response: ServerResponse, format: ExportFormat): ExportResponse {
  const workbook = format === 'xlsx' ? createWorkbook() : undefined;
  // A proxy may use HTTP/1.0, which has neither chunks nor trailers.
  const isChunked = response.req.httpVersion !== '1.0';
  const isOpen = () => !response.destroyed && !response.writableEnded;

  function begin(): void {
    if (response.headersSent) return;
    response.writeHead(200, {
      'content-type': TYPES[format],
      'content-disposition': `attachment; filename="export.${format}"`,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...(isChunked ? { trailer: 'x-export-rows, x-export-field-errors, x-export-skipped' } : {}),
    });
  }

  /** Without chunks, only a reset shows that the response is incomplete. */
  function abort(): void {
    if (isChunked) response.destroy();
    else response.socket?.resetAndDestroy();
  }

  return {
    write: async (text) => {
      if (!isOpen() || workbook?.isFull) return false;
      begin();
      const part = workbook?.add(text) ?? text;
      if (part.length === 0 || response.write(part)) return isOpen();
      await drained(response);
      return isOpen();
    },
    pause: async (ms) => {
      if (ms > 0 && isOpen()) {
        await new Promise<void>((resolve) => {
          const end = () => {
            clearTimeout(timer);
            response.off('close', end);
            resolve();
          };
          const timer = setTimeout(end, ms);
          response.on('close', end);
        });
      }
      return isOpen();
    },
    end: (end) => {
      if (end.kind === 'GONE' || !isOpen()) return abort();
      if (end.kind === 'COMPLETE') {
        begin();
        const { rows, fieldErrors, skipped } = end;
        if (workbook !== undefined) response.write(workbook.end());
        if (format === 'jsonl')
          response.write(`${JSON.stringify({ end: { rows, fieldErrors, skipped } })}\n`);
        response.addTrailers({
          'x-export-rows': rows,
          'x-export-field-errors': fieldErrors,
          'x-export-skipped': skipped,
        });
        return void response.end();
      }
      const { code, message } = end;
      if (!response.headersSent) return fail(response, code, message);
      if (format !== 'jsonl') return abort();
      response.end(`${JSON.stringify({ error: { code, message } })}\n`);
    },
  };
}

function fail(response: ServerResponse, code: string, message: string): void {
  const body = JSON.stringify({ errors: [{ message, extensions: { code } }] });
  response.writeHead(STATUSES.get(code) ?? 502, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  response.end(body);
}
