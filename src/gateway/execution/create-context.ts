import type { Identify, Identity } from '../access/identity.ts';
import type { UsersAccess } from '../access/users-access.ts';
import { createAppSource } from '../domain/app/app-source.ts';
import { createCardSource } from '../domain/card/card-source.ts';
import { createDisputeSource } from '../domain/dispute/dispute-source.ts';
import { createFraudAlertSource } from '../domain/fraud-alert/fraud-alert-source.ts';
import { createLineSource } from '../domain/line/line-source.ts';
import { createMemberSource } from '../domain/member/member-source.ts';
import { createMerchantSource } from '../domain/merchant/merchant-source.ts';
import { createTransactionSource } from '../domain/transaction/transaction-source.ts';
import { createUserSource } from '../domain/user/user-source.ts';
import { createViewerSource } from '../domain/viewer/viewer-source.ts';
import type { Runner } from '../money/runner.ts';
import type { Context } from '../schema/context.ts';
import { ReadAhead } from '../schema/read-ahead.ts';
import { createSearchBudget, type SearchBudget } from '../search/search-budget.ts';
import { type Allowance, type AllowanceLimits, withoutLimits } from '../upstream/allowance.ts';
import type { Caller } from '../upstream/caller.ts';
import { createKnownReads, type KnownReads } from '../upstream/caller.ts';
import { MAX_AGE_MS } from '../upstream/flights.ts';
import type { RestClient, RestService } from '../upstream/rest-client.ts';
import type { ShapeError } from '../upstream/rest-error.ts';

/** What all requests share. */
export interface Shared {
  readonly users: RestService;
  readonly payments: RestService;
  /** The payments service with the connections of money operations. */
  readonly moneyPayments: RestService;
  /** Reports to the operator that a field in a service's response cannot be read. */
  readonly noteUnreadable: (error: ShapeError) => void;
  /** Identifies the sender of a request. */
  readonly identify: Identify;
  readonly usersAccess: UsersAccess;
  /** Counts the creation of an app against the shared limit of clients without a valid app key. */
  readonly admitKeyless: () => Promise<{ readonly retryAfterMs: number } | undefined>;
  readonly posUrl: string;
  readonly money: Runner;
  /** The time by which deadlines are measured, in milliseconds. */
  readonly now: () => number;
  readonly allowance: AllowanceLimits;
  /** Whether lists are read at the same time as the object that contains them. */
  readonly readsAhead: boolean;
  readonly replica: Context['replica'];
  readonly events: Context['events'];
  readonly webhooks: Context['webhooks'];
  /** Calls that the searches of one request may make. */
  readonly maxSearchCalls: number;
}

/**
 * Creates the context of one request. Only the payments service gets the caller's key.
 *
 * @param allowance limits how much the request may use the services
 * @param known what was read before, and is not read again
 */
export function createContext(
  shared: Shared,
  identity: Identity,
  allowance: Allowance,
  known: KnownReads = createKnownReads(),
): Context {
  return new RequestContext(shared, identity, allowance, known);
}

/** Creates each source when a resolver first needs it: most requests need two of them. */
class RequestContext implements Context {
  readonly money: Context['money'];
  readonly replica: Context['replica'];
  readonly events: Context['events'];
  readonly webhooks: Context['webhooks'];
  readonly owner: string;
  readonly expiresAt: number | undefined;
  readonly deadline: number;
  readonly posUrl: string;
  readonly #shared: Shared;
  readonly #identity: Identity;
  readonly #caller: Caller;
  /** The request gets no read that began before this time. */
  readonly #asOf = Date.now() - MAX_AGE_MS;
  #ahead: ReadAhead | undefined;
  #search: SearchBudget | undefined;
  #payments: RestClient | undefined;
  #newPayments: RestClient | undefined;
  #moneyPayments: RestClient | undefined;
  #viewer: Context['viewer'] | undefined;
  #users: Context['users'] | undefined;
  #merchants: Context['merchants'] | undefined;
  #members: Context['members'] | undefined;
  #apps: Context['apps'] | undefined;
  #transactions: Context['transactions'] | undefined;
  #lines: Context['lines'] | undefined;
  #cards: Context['cards'] | undefined;
  #disputes: Context['disputes'] | undefined;
  #fraudAlerts: Context['fraudAlerts'] | undefined;

  constructor(shared: Shared, identity: Identity, allowance: Allowance, known: KnownReads) {
    const { authorization, digest: owner = '' } = identity.credential ?? {
      authorization: undefined,
    };
    this.#shared = shared;
    this.#identity = identity;
    this.#caller = { authorization, owner, allowance, known };
    this.money = shared.money;
    this.replica = shared.replica;
    this.events = shared.events;
    this.webhooks = shared.webhooks;
    this.owner = owner;
    this.expiresAt = identity.expiresAt;
    this.deadline = shared.now() + shared.allowance.deadlineMs;
    this.posUrl = shared.posUrl;
  }

  renew(): Context {
    const allowance = withoutLimits(this.#caller.allowance);
    return new RequestContext(this.#shared, this.#identity, allowance, createKnownReads());
  }

  noteErrorCode(code: string): void {
    this.#caller.allowance.usage.errorCodes.add(code);
  }

  takeCall(): boolean {
    return this.#caller.allowance.takeCall();
  }

  get ahead() {
    if (this.#shared.readsAhead) this.#ahead ??= new ReadAhead(() => this.#ofPayments().hasSpare());
    return this.#ahead;
  }

  get search() {
    this.#search ??= createSearchBudget(this.#shared.maxSearchCalls, new Date(this.#asOf));
    return this.#search;
  }

  get viewer() {
    this.#viewer ??= createViewerSource(this.#ofPayments());
    return this.#viewer;
  }

  get users() {
    const { credential, hasClaims, restrict } = this.#identity;
    const requireAccess = async () => {
      if (hasClaims) return;
      const askApp = async () => (await this.viewer.load()).id;
      await this.#shared.usersAccess.require(credential, askApp);
    };
    this.#users ??= createUserSource(
      restrict(this.#shared.users.as({ ...this.#caller, authorization: undefined })),
      requireAccess,
    );
    return this.#users;
  }

  get merchants() {
    this.#merchants ??= createMerchantSource(
      this.#ofPayments(),
      () => this.#ofMoney(),
      () => this.#anew(),
    );
    return this.#merchants;
  }

  get members() {
    this.#members ??= createMemberSource(this.#ofPayments());
    return this.#members;
  }

  get apps() {
    const anonymous = () => this.#identity.restrict(this.#shared.payments.anonymous(this.#caller));
    this.#apps ??= createAppSource(this.#ofPayments(), anonymous(), () => this.#admitApp());
    return this.#apps;
  }

  get transactions() {
    this.#transactions ??= createTransactionSource(this.#ofPayments(), () => this.#ofMoney());
    return this.#transactions;
  }

  get lines() {
    this.#lines ??= createLineSource(this.#ofPayments(), () => this.#anew());
    return this.#lines;
  }

  get cards() {
    this.#cards ??= createCardSource(this.#ofPayments());
    return this.#cards;
  }

  get disputes() {
    this.#disputes ??= createDisputeSource(this.#ofPayments());
    return this.#disputes;
  }

  get fraudAlerts() {
    this.#fraudAlerts ??= createFraudAlertSource(this.#ofPayments());
    return this.#fraudAlerts;
  }

  #ofPayments(): RestClient {
    this.#payments ??= this.#identity.restrict(this.#shared.payments.as(this.#caller));
    return this.#payments;
  }

  /** The payments service, without earlier reads of this request or of others. */
  #anew(): RestClient {
    const { authorization, owner, allowance } = this.#caller;
    this.#newPayments ??= this.#identity.restrict(
      this.#shared.payments.as({ authorization, owner, allowance }),
    );
    return this.#newPayments;
  }

  /** The payments service with the connections of money operations. */
  #ofMoney(): RestClient {
    const allowance = withoutLimits(this.#caller.allowance);
    this.#moneyPayments ??= this.#identity.restrict(
      this.#shared.moneyPayments.as({ ...this.#caller, allowance }),
    );
    return this.#moneyPayments;
  }

  /** Anybody can send a key that does not exist, so only the service can tell if it is valid. */
  async #admitApp() {
    // The claims of a token decide which calls are allowed.
    if (this.#identity.hasClaims) return undefined;
    const isKnown =
      this.#caller.authorization !== undefined &&
      (await this.viewer.load().then(Boolean, () => false));
    return isKnown ? undefined : this.#shared.admitKeyless();
  }
}
