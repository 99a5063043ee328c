import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Answered, type Fault, passOn } from '../support/fault-proxy.ts';
import { given } from '../support/given.ts';
import { newKey } from '../support/new-key.ts';
import { type Bench, startBench } from './bench.ts';
import { IMPATIENT } from './creation.ts';
import { movements } from './movement.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await startBench(IMPATIENT);
});
afterAll(() => bench?.close());
beforeEach(() => bench.reset());

/** Answers a request as `answer` says it was answered before, or now. */
const answering =
  (answer: (name: string, ask: () => Promise<Answered>) => Promise<Answered>): Fault =>
  (forward, response, request) =>
    passOn(
      () => answer(`${request.headers['idempotency-key']} ${request.url}`, forward),
      response,
      request,
    );

/** Every answer is given again for as long as the process lives. */
function remember() {
  const answers = new Map<string, Promise<Answered>>();
  return async (name: string, ask: () => Promise<Answered>) => {
    const answer = answers.get(name) ?? ask();
    answers.set(name, answer);
    return answer;
  };
}

test.each([
  ['honours the key of its POST tells the second one what it told the first', 'honours'],
  ['ignores the key of its POST refuses the second one, and it is found', 'ignores'],
])('a service that %s', async (_what, service) => {
  const transactionId = await given(bench.stack).transaction(1000);
  const key = newKey();
  const { move, trail } = movements(bench.ask);
  const capture = () => move('capture', transactionId, 1000, key);
  const honoured = remember();

  // Done, but the answer is lost, and reads go on showing what was before.
  bench.proxy.onRead = answering(remember());
  bench.proxy.onWrite = async (forward, response, request) => {
    await honoured(`${request.headers['idempotency-key']} ${request.url}`, forward);
    response.destroy();
  };
  expect(await capture()).toMatchObject({ operation: { status: 'UNKNOWN' } });

  bench.proxy.onWrite = service === 'honours' ? answering(honoured) : undefined;
  const second = await capture();
  const repeated = { replayed: false, ...statusOf[service] };
  expect(second.operation).toMatchObject(repeated);
  expect(bench.posts()).toBe(2);

  bench.reset();
  const third = await capture();
  expect(third.operation).toMatchObject({ status: 'SUCCEEDED', replayed: true });
  expect(bench.posts()).toBe(0);
  expect(await trail(transactionId)).toEqual([{ kind: 'capture', amount: 1000 }]);
});

const statusOf: Record<string, object> = {
  honours: { status: 'SUCCEEDED', evidence: 'ANSWERED' },
  ignores: { status: 'UNKNOWN', evidence: null },
};
