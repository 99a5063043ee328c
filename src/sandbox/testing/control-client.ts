import type { z } from 'zod';
import type { clockReading, forward } from '../control/clock.ts';
import type { disputeInput, fraudAlertInput } from '../control/disputes.ts';
import type { paymentInput, paymentOutput } from '../control/payments.ts';
import type { payout, payoutInput, schedule } from '../control/payouts.ts';
import type { loggedRequest, mail } from '../control/records.ts';
import type { Scene, sceneInput } from '../control/scene.ts';
import type { resetInput, snapshotOutput } from '../control/snapshots.ts';
import type { namedCard } from '../control/test-cards.ts';
import type { Fault, faultInput } from '../faults/fault.ts';
import { createInbox, type Inbox, type Send } from './inbox.ts';

type Clock = z.output<typeof clockReading>;
type Snapshot = z.output<typeof snapshotOutput>;
type Schedule = z.output<typeof schedule>;

/** Which part of a list to return. */
interface ListPart {
  readonly after?: number;
  readonly limit?: number;
}

/** The functions of the control interface. Each rejects with a `ControlError` if it fails. */
export interface Control {
  readonly faults: {
    add(fault: z.input<typeof faultInput>): Promise<Fault>;
    list(): Promise<Fault[]>;
    remove(id: string): Promise<void>;
    clear(): Promise<void>;
  };
  readonly clock: {
    read(): Promise<Clock>;
    advance(by: z.input<typeof forward>): Promise<Clock>;
    freeze(): Promise<Clock>;
    resume(): Promise<Clock>;
  };
  readonly snapshots: {
    list(): Promise<Snapshot[]>;
    take(name: string): Promise<Snapshot>;
    /** Returns a file as text. */
    export(name: string): Promise<string>;
    import(name: string, file: string): Promise<Snapshot>;
    remove(name: string): Promise<void>;
  };
  readonly payouts: {
    make(input: z.input<typeof payoutInput>): Promise<z.output<typeof payout>>;
    schedule(): Promise<Schedule>;
    /** `null` stops the schedule. */
    setSchedule(everyMs: number | null): Promise<Schedule>;
  };
  readonly disputes: {
    open(input: z.input<typeof disputeInput>): Promise<{ readonly disputeId: string }>;
    decide(disputeId: string, outcome: 'won' | 'lost'): Promise<void>;
  };
  readonly requests: {
    list(options?: ListPart): Promise<z.output<typeof loggedRequest>[]>;
    clear(): Promise<void>;
  };
  /** Returns the inbox with this name. It need not be created. */
  inbox(name: string): Inbox;
  /** Replaces all records. */
  reset(input?: z.input<typeof resetInput>): Promise<void>;
  /** Makes a merchant with payments in every state. */
  makeScene(input?: z.input<typeof sceneInput>): Promise<Scene>;
  pay(input: z.input<typeof paymentInput>): Promise<z.output<typeof paymentOutput>>;
  testCards(): Promise<z.output<typeof namedCard>[]>;
  /** Lets a reservation expire. */
  expire(transactionId: string): Promise<{ transactionId: string; voided: number }>;
  fileFraudAlert(input: z.input<typeof fraudAlertInput>): Promise<{ readonly fraudId: string }>;
  /** Hides the key of an app in the lists of apps, or shows it. */
  hideKey(appId: string, keyHidden?: boolean): Promise<void>;
  outbox(options?: ListPart): Promise<z.output<typeof mail>[]>;
}

/** The control interface rejected a call. */
class ControlError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'ControlError';
    this.status = status;
  }
}

/** Creates the functions of the control interface at an address. */
export function createControl(url: string): Control {
  const send = createSend(url);
  // Each operation of the interface answers with the type that its function declares here.
  const get = async <T>(path: string) => JSON.parse(await send('GET', path)) as T;
  const post = async <T>(path: string, body: object = {}) =>
    JSON.parse((await send('POST', path, JSON.stringify(body))) || 'null') as T;
  const put = async <T>(path: string, body: string) =>
    JSON.parse(await send('PUT', path, body)) as T;
  const remove = async (path: string) => void (await send('DELETE', path));
  return {
    faults: {
      add: (fault) => post('/faults', fault),
      list: () => get('/faults'),
      remove: async (id) => remove(path`/faults/${id}`),
      clear: () => remove('/faults'),
    },
    clock: {
      read: () => get('/clock'),
      advance: (by) => post('/clock/advance', by),
      freeze: () => post('/clock/freeze'),
      resume: () => post('/clock/resume'),
    },
    snapshots: {
      list: () => get('/snapshots'),
      take: (name) => post('/snapshots', { name }),
      export: async (name) => send('GET', path`/snapshots/${name}`),
      import: async (name, file) => put(path`/snapshots/${name}`, file),
      remove: async (name) => remove(path`/snapshots/${name}`),
    },
    payouts: {
      make: (input) => post('/payouts', input),
      schedule: () => get('/payout-schedule'),
      setSchedule: (everyMs) => put('/payout-schedule', JSON.stringify({ everyMs })),
    },
    disputes: {
      open: (input) => post('/disputes', input),
      decide: async (id, outcome) => post(path`/disputes/${id}/outcome`, { outcome }),
    },
    requests: {
      list: (options = {}) => get(`/requests?${query(options)}`),
      clear: () => remove('/requests'),
    },
    inbox: createInboxes(url, send),
    reset: (input = {}) => post('/reset', input),
    makeScene: (input = {}) => post('/scenes', input),
    pay: (input) => post('/payments', input),
    testCards: () => get('/test-cards'),
    expire: async (id) => post(path`/transactions/${id}/expiry`),
    fileFraudAlert: (input) => post('/frauds', input),
    hideKey: async (id, keyHidden = true) =>
      void (await put(path`/apps/${id}`, JSON.stringify({ keyHidden }))),
    outbox: (options = {}) => get(`/outbox?${query(options)}`),
  };
}

/** Each inbox remembers which messages it has returned. */
function createInboxes(url: string, send: Send): Control['inbox'] {
  const inboxes = new Map<string, Inbox>();
  return (name) => {
    const inbox = inboxes.get(name) ?? createInbox(url, path`/inbox/${name}`, send);
    inboxes.set(name, inbox);
    return inbox;
  };
}

/** Builds a path. An empty id would make it another one, as would `.` and `..`. */
function path(parts: TemplateStringsArray, id: string): string {
  if (typeof id !== 'string' || /^\.{0,2}$/.test(id)) {
    throw new TypeError(`An id or a name is missing: it was ${JSON.stringify(id)}.`);
  }
  return parts.join(encodeURIComponent(id));
}

function query(options: object): URLSearchParams {
  return new URLSearchParams(Object.entries(options).map(([name, value]) => [name, `${value}`]));
}

function createSend(url: string): Send {
  return async (method, path, body) => {
    const headers = body === undefined ? {} : { 'content-type': 'application/json' };
    // An idle connection would keep the process of a test alive.
    const response = await fetch(url + path, {
      method,
      headers: { ...headers, connection: 'close' },
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    if (response.ok) return text;
    throw new ControlError(response.status, `${method} ${path}: ${messageOf(text)}`);
  };
}

/** The messages of an error, in one text. */
function messageOf(text: string): string {
  const body: unknown = JSON.parse(text);
  const errors = Array.isArray(body) ? body : [body];
  return errors
    .map(({ field, message }) => (field === undefined ? message : `${field}: ${message}`))
    .join('; ');
}
