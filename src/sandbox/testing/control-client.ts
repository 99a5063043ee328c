import type { z } from 'zod';
import type { Fault, faultInput } from '../faults/fault.ts';
import type { Scene, sceneInput } from '../scenes/scene.ts';

/** The clock of a sandbox. */
export interface ClockReading {
  /** ISO 8601. */
  readonly now: string;
  readonly frozen: boolean;
}

/** A request that a service got. */
export interface LoggedRequest {
  readonly number: number;
  readonly service: 'users' | 'payments' | 'pos';
  readonly at: string;
  readonly method: string;
  /** The path with its placeholders. */
  readonly path: string;
  readonly ids: readonly string[];
  /** 0 if a fault prevented a response. */
  readonly status: number;
  readonly durationMs: number;
  readonly requestId: string;
  /** The id of the fault that affected the request. */
  readonly fault?: string;
  readonly faultKind?: string;
}

/** A mail to a new member. */
export interface Mail {
  readonly number: number;
  readonly created: string;
  readonly recipient: string;
  readonly subject: string;
  readonly body: string;
  /** Whether a mail server accepted it. */
  readonly sent: boolean;
}

/** A stored copy of all records. */
export interface SnapshotInfo {
  readonly name: string;
  readonly taken: string;
  readonly bytes: number;
}

/** What a reset leaves: the demo data, only the demo app, or the records of a snapshot. */
export interface ResetInput {
  readonly to?: 'demo' | 'empty' | { readonly snapshot: string };
  /** What the clock reads afterwards, in ISO 8601. */
  readonly time?: string;
}

/** A payment on the payment page, with the name or the number of a test card. */
export type PaymentInput = {
  readonly card?: string;
  /** MM/YY */
  readonly expiry?: string;
} & (
  | { readonly link: string; readonly amount?: number }
  | {
      readonly merchantId: string;
      /** Minor units. */
      readonly amount: number;
      readonly currency?: string;
      readonly reference?: string;
    }
);

/** The transaction of a payment. */
export interface Payment {
  readonly transactionId: string;
  readonly successful: boolean;
  readonly error: { readonly code: number; readonly message: string } | null;
}

/** A dispute to open. */
export interface DisputeInput {
  readonly transactionId: string;
  readonly amount?: number;
  readonly reason?: { readonly code: number; readonly title: string } | null;
  readonly due?: string | null;
  readonly outcome?: 'won' | 'lost';
  readonly outcomeInMs?: number;
}

/** A fraud alert to file. */
export interface FraudAlertInput {
  readonly transactionId: string;
  readonly reason?: number | null;
  readonly reported?: string | null;
}

/** A payout, in minor units of the funding currency. */
export interface Payout {
  readonly lineId: string;
  readonly merchantId: string;
  readonly amount: number;
  readonly currency: string;
}

/** When merchants are paid out. */
export interface PayoutSchedule {
  readonly everyMs: number | null;
  readonly next: string | null;
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
    read(): Promise<ClockReading>;
    advance(by: { readonly ms: number } | { readonly to: string }): Promise<ClockReading>;
    freeze(): Promise<ClockReading>;
    resume(): Promise<ClockReading>;
  };
  readonly snapshots: {
    list(): Promise<SnapshotInfo[]>;
    take(name: string): Promise<SnapshotInfo>;
    /** Returns a file as text. */
    export(name: string): Promise<string>;
    import(name: string, file: string): Promise<SnapshotInfo>;
    remove(name: string): Promise<void>;
  };
  readonly payouts: {
    make(input: { readonly merchantId: string; readonly amount?: number }): Promise<Payout>;
    schedule(): Promise<PayoutSchedule>;
    /** `null` stops the schedule. */
    setSchedule(everyMs: number | null): Promise<PayoutSchedule>;
  };
  readonly disputes: {
    open(input: DisputeInput): Promise<{ readonly disputeId: string }>;
    decide(disputeId: string, outcome: 'won' | 'lost'): Promise<void>;
  };
  readonly requests: {
    list(options?: { readonly after?: number; readonly limit?: number }): Promise<LoggedRequest[]>;
    clear(): Promise<void>;
  };
  /** Replaces all records. */
  reset(input?: ResetInput): Promise<void>;
  /** Makes a merchant with payments in every state. */
  makeScene(input?: z.input<typeof sceneInput>): Promise<Scene>;
  pay(input: PaymentInput): Promise<Payment>;
  testCards(): Promise<{ name: string; number: string; scheme: string; description: string }[]>;
  /** Lets a reservation expire. */
  expire(transactionId: string): Promise<{ transactionId: string; voided: number }>;
  fileFraudAlert(input: FraudAlertInput): Promise<{ readonly fraudId: string }>;
  /** Hides the key of an app in the lists of apps, or shows it. */
  hideKey(appId: string, keyHidden?: boolean): Promise<void>;
  outbox(options?: { readonly after?: number; readonly limit?: number }): Promise<Mail[]>;
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

function createSend(url: string) {
  return async (method: string, path: string, body?: string): Promise<string> => {
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
