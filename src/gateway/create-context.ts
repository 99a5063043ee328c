import { createAppSource } from './app/app-source.ts';
import { createCardSource } from './card/card-source.ts';
import type { Context } from './context.ts';
import { createDisputeSource } from './dispute/dispute-source.ts';
import { createFraudAlertSource } from './fraud-alert/fraud-alert-source.ts';
import { createLineSource } from './line/line-source.ts';
import { createMemberSource } from './member/member-source.ts';
import { createMerchantSource } from './merchant/merchant-source.ts';
import type { Runner } from './operation/runner.ts';
import type { Identify, Identity } from './protect/identity.ts';
import type { RateLimit } from './protect/rate-limit.ts';
import type { UsersAccess } from './protect/users-access.ts';
import { type Allowance, type AllowanceLimits, withoutLimits } from './rest/allowance.ts';
import { createKnownReads } from './rest/known-reads.ts';
import type { RestService } from './rest/rest-client.ts';
import { createTransactionSource } from './transaction/transaction-source.ts';
import { createUserSource } from './user/user-source.ts';
import { createViewerSource } from './viewer/viewer-source.ts';

/** What all requests share. */
export interface Shared {
  readonly users: RestService;
  readonly payments: RestService;
  /** The payments service with the connections of money operations. */
  readonly moneyPayments: RestService;
  /** Finds out who sends a request. */
  readonly identify: Identify;
  readonly usersAccess: UsersAccess;
  /** What clients without an app key may do. */
  readonly keyless: RateLimit;
  readonly posUrl: string;
  readonly money: Runner;
  /** Time that deadlines are measured by, in milliseconds. */
  readonly now: () => number;
  readonly allowance: AllowanceLimits;
}

/**
 * Creates the sources of one request. Only the payments service gets the caller's key.
 *
 * @param allowance what the request may use of the services
 */
export function createContext(
  shared: Shared,
  { credential, restrict, hasClaims }: Identity,
  allowance: Allowance,
): Context {
  const { authorization, digest: owner = '' } = credential ?? { authorization: undefined };
  const caller = { authorization, owner, allowance, known: createKnownReads() };
  const payments = restrict(shared.payments.as(caller));
  const moneyCaller = { ...caller, allowance: withoutLimits(allowance) };
  const money = restrict(shared.moneyPayments.as(moneyCaller));
  const viewer = createViewerSource(payments);
  const requireAccess = async () => {
    if (hasClaims) return;
    await shared.usersAccess.require(credential, async () => (await viewer.load()).id);
  };
  /** Anybody can send a key that does not exist, so only the service can tell. */
  const admitApp = async () => {
    // The claims of a token decide about each call.
    if (hasClaims) return undefined;
    const isKnown = authorization !== undefined && (await viewer.load().then(Boolean, () => false));
    return isKnown ? undefined : shared.keyless.take('', 1);
  };
  return {
    viewer,
    users: createUserSource(
      restrict(shared.users.as({ ...caller, authorization: undefined })),
      requireAccess,
    ),
    merchants: createMerchantSource(payments, money),
    members: createMemberSource(payments),
    apps: createAppSource(payments, restrict(shared.payments.anonymous(caller)), admitApp),
    transactions: createTransactionSource(payments, money),
    lines: createLineSource(payments),
    cards: createCardSource(payments),
    disputes: createDisputeSource(payments),
    fraudAlerts: createFraudAlertSource(payments),
    money: shared.money,
    owner,
    deadline: shared.now() + shared.allowance.deadlineMs,
    posUrl: shared.posUrl,
  };
}
