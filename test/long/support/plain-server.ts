import { startProcess } from '../../support/process.ts';
import { RIGHT_BODY } from './gateway-programs.ts';

const PROGRAM = `
const server = require('node:http').createServer((request, response) => {
  request.resume().on('end', () => response.end(${JSON.stringify(RIGHT_BODY)}));
});
server.listen(0, '127.0.0.1', () => console.log('port ' + server.address().port + ';'));
`;

/**
 * Starts an HTTP server of Node that reads each request and sends the right answer without any
 * work. It shows what Node and the machine cost.
 */
export async function startPlainServer(): Promise<string> {
  const [, port] = await startProcess(process.execPath, ['-e', PROGRAM]).printed(/port (\d+);/);
  return `http://127.0.0.1:${port}`;
}
