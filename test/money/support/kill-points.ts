import { type Fault, type FaultProxy, passOn } from '../../support/fault-proxy.ts';

/** The moments of an operation at which a gateway is killed, as they are visible from outside. */
export const killPoints = [
  /** The gateway reads the transaction to check access. */
  'before its claim',
  /** The gateway reads the transaction for the snapshot. */
  'after its claim',
  /** The POST has left the gateway, and is lost. */
  'while its POST is lost',
  /** The POST has left the gateway, and reaches the service late: after the next read. */
  'while its POST is late',
  /** The service has applied the POST, and has not answered. */
  'before the answer',
  /** The service has answered. */
  'after the answer',
  /** The gateway reads the transaction for its reply. */
  'before its reply',
] as const;

/** When a gateway is killed. */
export type KillPoint = (typeof killPoints)[number] | 'never';

/** What the gateway reports of an operation. NONE: there is no operation. */
export interface Reported {
  readonly status: 'SUCCEEDED' | 'UNKNOWN' | 'NONE';
  readonly evidence: 'ANSWERED' | 'READ_BACK' | null;
  /** False if this request was the one that was sent to the service. */
  readonly replayed: boolean;
}

/** What `Query.moneyOperation` reports, which is always a replay. */
export type Queried = Omit<Reported, 'replayed'>;

/** What must become of an operation whose gateway was killed. */
export interface Expected {
  /** What the first query may report, before the request is repeated. */
  readonly queried: readonly Queried[];
  /** What the first repetition may report. */
  readonly repeated: readonly Reported[];
  /** What may be reported in the end. */
  readonly final: readonly Queried[];
  /** How many POSTs reached the service, and how many of them it applied. */
  readonly posts: number;
  readonly applied: number;
}

const answered = { status: 'SUCCEEDED', evidence: 'ANSWERED' } as const;
const readBack = { status: 'SUCCEEDED', evidence: 'READ_BACK' } as const;
const unknown = { status: 'UNKNOWN', evidence: null } as const;
const none = { status: 'NONE', evidence: null } as const;

const sent = (reported: Queried): Reported => ({ ...reported, replayed: false });
const replay = (reported: Queried): Reported => ({ ...reported, replayed: true });

/**
 * What must become of an operation.
 *
 * @param guarded whether the conservation guard proves that two copies cannot both apply
 */
export function expectedAfter(killed: KillPoint, guarded: boolean): Expected {
  const once = { posts: 1, applied: 1 };
  switch (killed) {
    case 'before its claim':
    case 'after its claim':
      return { queried: [none], repeated: [sent(answered)], final: [answered], ...once };
    case 'while its POST is lost':
      return guarded
        ? { queried: [unknown], repeated: [sent(answered)], final: [answered], ...once }
        : {
            queried: [unknown],
            repeated: [replay(unknown)],
            final: [unknown],
            posts: 0,
            applied: 0,
          };
    case 'while its POST is late':
      return guarded
        ? {
            queried: [unknown],
            repeated: [sent(readBack)],
            final: [readBack],
            posts: 2,
            applied: 1,
          }
        : { queried: [unknown], repeated: [replay(unknown)], final: [readBack], ...once };
    case 'before the answer':
      return { queried: [readBack], repeated: [replay(readBack)], final: [readBack], ...once };
    case 'after the answer':
      return {
        queried: [answered, readBack],
        repeated: [replay(answered), replay(readBack)],
        final: [answered, readBack],
        ...once,
      };
    case 'before its reply':
    case 'never':
      return { queried: [answered], repeated: [replay(answered)], final: [answered], ...once };
  }
}

/**
 * Makes the proxy call `kill` at a moment of the next operation. Nothing that the gateway sends
 * afterwards arrives. Returns a function that delivers a late POST to the service.
 */
export function killAt(
  point: KillPoint,
  proxy: FaultProxy,
  kill: () => void,
): { deliverLate(): Promise<void> } {
  let deliver = async () => {};
  switch (point) {
    case 'before its claim':
      killAtRead(1, proxy, kill);
      break;
    case 'after its claim':
      killAtRead(2, proxy, kill);
      break;
    case 'before its reply':
      killAtRead(3, proxy, kill);
      break;
    case 'while its POST is lost':
      proxy.onArrival = ({ method }) => {
        if (method !== 'POST') return;
        stopForwarding(proxy);
        kill();
      };
      break;
    case 'while its POST is late':
      killAfterWrite(proxy, kill, (forward) => {
        deliver = async () => void (await forward());
      });
      break;
    case 'before the answer':
      killAfterWrite(proxy, kill, async (forward) => void (await forward()));
      break;
    case 'after the answer':
      killAfterWrite(proxy, kill, async (forward, response, request) => {
        const finished = new Promise((resolve) => response.once('finish', resolve));
        await passOn(forward, response, request);
        await finished;
      });
      break;
    case 'never':
      break;
  }
  return { deliverLate: () => deliver() };
}

function killAtRead(number: number, proxy: FaultProxy, kill: () => void): void {
  let reads = 0;
  proxy.onArrival = ({ method }) => {
    if (method !== 'GET') return;
    reads++;
    if (reads !== number) return;
    stopForwarding(proxy);
    kill();
  };
}

function killAfterWrite(proxy: FaultProxy, kill: () => void, fault: Fault): void {
  proxy.onWrite = async (...exchange) => {
    stopForwarding(proxy);
    await fault(...exchange);
    kill();
  };
}

function stopForwarding(proxy: FaultProxy): void {
  proxy.onRead = () => {};
  proxy.onWrite = () => {};
}

/** Makes the proxy forward everything again. */
export function resumeForwarding(proxy: FaultProxy): void {
  proxy.onArrival = undefined;
  proxy.onRead = undefined;
  proxy.onWrite = undefined;
}
