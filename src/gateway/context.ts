import type { AppSource } from './app/app-source.ts';
import type { CardSource } from './card/card-source.ts';
import type { DisputeSource } from './dispute/dispute-source.ts';
import type { FraudAlertSource } from './fraud-alert/fraud-alert-source.ts';
import type { ReadAhead } from './graphql/read-ahead.ts';
import type { LineSource } from './line/line-source.ts';
import type { MemberSource } from './member/member-source.ts';
import type { MerchantSource } from './merchant/merchant-source.ts';
import type { Runner } from './operation/runner.ts';
import type { SearchBudget } from './search/search-budget.ts';
import type { TransactionSource } from './transaction/transaction-source.ts';
import type { UserSource } from './user/user-source.ts';
import type { ViewerSource } from './viewer/viewer-source.ts';

/** What every resolver gets: one source for each noun, created for each request. */
export interface Context {
  readonly users: UserSource;
  readonly viewer: ViewerSource;
  readonly merchants: MerchantSource;
  readonly transactions: TransactionSource;
  readonly members: MemberSource;
  readonly apps: AppSource;
  readonly lines: LineSource;
  readonly cards: CardSource;
  readonly disputes: DisputeSource;
  readonly fraudAlerts: FraudAlertSource;
  /** What is read at the same time as the object that has it; undefined if nothing is. */
  readonly ahead: ReadAhead | undefined;
  /** What the searches of the request may still read. */
  readonly search: SearchBudget;
  /** Runs the operations that move money. */
  readonly money: Runner;
  /** Takes a call from what the request may use. False if none is left. */
  takeCall(): boolean;
  /** Notes the code of a typed error that a mutation returns. */
  noteErrorCode(code: string): void;
  /** Identifies the credential of the request in this process; empty without one. */
  readonly owner: string;
  /** When this request stops waiting for an operation, by the clock of money operations. */
  readonly deadline: number;
  /** Base address of the payment page, for payment links. */
  readonly posUrl: string;
}
