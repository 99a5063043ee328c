import { type Fault, type FaultProxy, passOn } from '../../support/fault-proxy.ts';

/** An integer from 0 to below the limit. */
type Random = (limit: number) => number;

/** What lies between the gateways and the service. */
export type Between = 'lying answers' | 'lagging reads';

/** Makes a proxy lie about writes, or show what was true some reads ago. */
export function startFaults(between: Between, proxy: FaultProxy, random: Random): void {
  if (between === 'lying answers') proxy.onWrite = lie(random);
  else proxy.onRead = lag(random);
}

/** Ends the faults, so that everything that can be known becomes known. */
export function endFaults(proxy: FaultProxy): void {
  proxy.onWrite = undefined;
  proxy.onRead = undefined;
}

const rejections = [400, 401, 403, 409, 429];

/**
 * One write in three is answered by an intermediary: denied after it was applied, accepted
 * although it was lost, or sent twice, so that the gateway gets the answer to the second copy.
 */
function lie(random: Random): Fault {
  return async (forward, response, request) => {
    const dice = random(9);
    const answer = (status: number, body: string) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    if (dice === 0) {
      await forward();
      answer(rejections[random(rejections.length)] ?? 400, '{"message":"no"}');
    } else if (dice === 1) {
      answer(random(2) === 0 ? 200 : 201, random(2) === 0 ? '' : '{}');
    } else if (dice === 2) {
      const first = await forward();
      const isRepeated = first.status === 201 && !fitsAgain(JSON.parse(String(first.body)));
      await passOn(isRepeated ? forward : async () => first, response, request);
    } else {
      await passOn(forward, response, request);
    }
  };
}

interface Moved {
  readonly transaction: {
    readonly pendingAmount: number;
    readonly trail: readonly { readonly amount: number; readonly refund?: boolean }[];
  };
}

/**
 * Whether a movement in the trail may be possible once more. Nothing is promised about a copy
 * that an intermediary makes and the service applies.
 */
function fitsAgain({ transaction: { pendingAmount, trail } }: Moved): boolean {
  return trail.some(({ amount, refund }) => refund === true || amount <= pendingAmount);
}

/** How many earlier states of a transaction a read may show. */
const REMEMBERED = 8;

/** One read of a transaction in three shows what an earlier read has shown. */
function lag(random: Random): Fault {
  const shown = new Map<string, Awaited<ReturnType<Parameters<Fault>[0]>>[]>();
  return async (forward, response, request) => {
    const { url = '' } = request;
    if (!/^\/transactions\/[^/]+$/.test(url)) return passOn(forward, response, request);
    const answers = shown.get(url) ?? [];
    shown.set(url, answers);
    answers.push(await forward());
    if (answers.length > REMEMBERED) answers.shift();
    const index = random(3) === 0 ? random(answers.length) : answers.length - 1;
    const answer = answers[index];
    await passOn(answer === undefined ? forward : async () => answer, response, request);
  };
}
