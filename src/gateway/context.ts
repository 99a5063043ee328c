import type { LineSource } from './line/line-source.ts';
import type { MerchantSource } from './merchant/merchant-source.ts';
import type { TransactionSource } from './transaction/transaction-source.ts';
import type { UserSource } from './user/user-source.ts';
import type { ViewerSource } from './viewer/viewer-source.ts';

/** What every resolver finds: one source a noun, fresh for every request. */
export interface Context {
  readonly users: UserSource;
  readonly viewer: ViewerSource;
  readonly merchants: MerchantSource;
  readonly transactions: TransactionSource;
  readonly lines: LineSource;
}
