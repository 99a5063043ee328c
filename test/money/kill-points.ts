import { type Fault, type FaultProxy, passOn } from '../support/fault-proxy.ts';

/** Moments of a movement at which a gateway is killed, as they are seen from outside. */
export const killPoints = [
  /** The transaction is being read for access. */
  'before its claim',
  /** The transaction is being read for the picture. */
  'after its claim',
  /** The POST has left, and is lost. */
  'while its POST is lost',
  /** The POST has left, and reaches the service only after the caller's next try has looked. */
  'while its POST is late',
  /** The service has done it and has not answered. */
  'before the answer',
  /** The answer has been sent. */
  'after the answer',
  /** The transaction is being read for the caller. */
  'before its reply',
] as const;

/** When a gateway is killed. */
export type KillPoint = (typeof killPoints)[number] | 'never';

/** What a caller is told of an operation; NONE is what nobody knows. */
export interface Told {
  readonly status: 'SUCCEEDED' | 'UNKNOWN' | 'NONE';
  readonly evidence: 'ANSWERED' | 'READ_BACK' | null;
  /** False where the caller's own request was sent to the service. */
  readonly replayed: boolean;
}

/** What must come of an operation whose gateway was killed. */
export interface Expected {
  /** What a question tells first, before anybody repeats; any of these. */
  readonly asked: readonly Omit<Told, 'replayed'>[];
  /** What the first repetition is told; any of these. */
  readonly repeated: readonly Told[];
  /** What it is in the end; any of these. */
  readonly ended: readonly Omit<Told, 'replayed'>[];
  /** POSTs that reached the service, and what they did. */
  readonly posts: number;
  readonly applied: number;
}

const answered = { status: 'SUCCEEDED', evidence: 'ANSWERED' } as const;
const readBack = { status: 'SUCCEEDED', evidence: 'READ_BACK' } as const;
const unknown = { status: 'UNKNOWN', evidence: null } as const;
const none = { status: 'NONE', evidence: null } as const;

function own<T>(told: T) {
  return { ...told, replayed: false };
}

function replay<T>(told: T) {
  return { ...told, replayed: true };
}

/** The failure matrix: what comes of an operation, `whole` where two of it cannot both fit. */
export function expectedOf(killed: KillPoint, whole: boolean): Expected {
  const once = { posts: 1, applied: 1 };
  switch (killed) {
    case 'before its claim':
    case 'after its claim':
      return { asked: [none], repeated: [own(answered)], ended: [answered], ...once };
    case 'while its POST is lost':
      return whole
        ? { asked: [unknown], repeated: [own(answered)], ended: [answered], ...once }
        : { asked: [unknown], repeated: [replay(unknown)], ended: [unknown], posts: 0, applied: 0 };
    case 'while its POST is late':
      return whole
        ? { asked: [unknown], repeated: [own(readBack)], ended: [readBack], posts: 2, applied: 1 }
        : { asked: [unknown], repeated: [replay(unknown)], ended: [readBack], ...once };
    case 'before the answer':
      return { asked: [readBack], repeated: [replay(readBack)], ended: [readBack], ...once };
    case 'after the answer':
      return {
        asked: [answered, readBack],
        repeated: [replay(answered), replay(readBack)],
        ended: [answered, readBack],
        ...once,
      };
    case 'before its reply':
    case 'never':
      return { asked: [answered], repeated: [replay(answered)], ended: [answered], ...once };
  }
}

/**
 * Makes the proxy kill the gateway during the next movement; nothing it sends afterwards
 * arrives anywhere. Answers a way to let its POST reach the service late.
 */
export function strike(killed: KillPoint, proxy: FaultProxy, kill: () => void) {
  let reads = 0;
  let late = async () => {};
  const killAtRead = (number: number) => {
    proxy.onArrival = ({ method }) => {
      if (method === 'GET' && ++reads === number) {
        hold(proxy);
        kill();
      }
    };
  };
  const killAtWrite = (fault: Fault) => {
    proxy.onWrite = async (forward, response, request) => {
      hold(proxy);
      await fault(forward, response, request);
      kill();
    };
  };
  switch (killed) {
    case 'before its claim':
      killAtRead(1);
      break;
    case 'after its claim':
      killAtRead(2);
      break;
    case 'while its POST is lost':
      proxy.onArrival = ({ method }) => {
        if (method !== 'POST') return;
        hold(proxy);
        kill();
      };
      break;
    case 'while its POST is late':
      killAtWrite((forward) => {
        late = async () => void (await forward());
      });
      break;
    case 'before the answer':
      killAtWrite(async (forward) => void (await forward()));
      break;
    case 'after the answer':
      killAtWrite(async (forward, response, request) => {
        const sent = new Promise((resolve) => response.once('finish', resolve));
        await passOn(forward, response, request);
        await sent;
      });
      break;
    case 'before its reply':
      killAtRead(3);
      break;
    case 'never':
      break;
  }
  return { deliverLate: () => late() };
}

/** Nothing goes through the proxy any more. */
function hold(proxy: FaultProxy): void {
  proxy.onRead = () => {};
  proxy.onWrite = () => {};
}

/** Everything goes through the proxy again. */
export function calm(proxy: FaultProxy): void {
  proxy.onArrival = undefined;
  proxy.onRead = undefined;
  proxy.onWrite = undefined;
}
