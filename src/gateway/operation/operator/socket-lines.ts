import type { Socket } from 'node:net';

/** Calls back with each complete line that arrives. Closes the connection at a longer one. */
export function readLines(
  socket: Socket,
  maxCharacters: number,
  onLine: (line: string) => void,
): void {
  let rest = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
    if (rest.length > maxCharacters) socket.destroy();
  });
}
