import type { Socket } from 'node:net';

const MAX_CHARACTERS = 16 * 1_024 ** 2;

/** Calls back with each complete line that arrives. Closes the connection at an endless one. */
export function readLines(socket: Socket, onLine: (line: string) => void): void {
  let rest = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
    if (rest.length > MAX_CHARACTERS) socket.destroy();
  });
}
