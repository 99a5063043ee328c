/** The ceiling of HTTP in Node: reads the body, and answers a constant. */
import { createServer } from 'node:http';
import { announce } from '../services/announce.ts';

const TEXT = JSON.stringify({ id: 'constant', name: 'x'.repeat(900) });
const head = { 'content-type': 'application/json', 'content-length': TEXT.length };

const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    response.writeHead(200, head);
    response.end(TEXT);
  });
});
announce(server);
