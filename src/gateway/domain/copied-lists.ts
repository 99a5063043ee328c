import type { CopiedList } from '../replica/copied-list.ts';
import type { Lists } from '../replica/sync.ts';
import { disputeCopy } from './dispute/dispute-copy.ts';
import { fraudAlertCopy } from './fraud-alert/fraud-alert-copy.ts';
import { lineCopy } from './line/line-copy.ts';
import { transactionCopy } from './transaction/transaction-copy.ts';

/** The lists of a merchant that the replica copies. */
export const copiedLists: Lists = {
  lines: lineCopy as CopiedList,
  transactions: transactionCopy as CopiedList,
  others: [disputeCopy as CopiedList, fraudAlertCopy as CopiedList],
};
