/**
 * Indexes for the operations of a merchant, newest first. Almost all operations succeed, so
 * those of any other state have an index of their own.
 */
export const operationLists = [
  `CREATE INDEX money_merchant ON money_operation (merchant_id, created_at, id)`,
  `CREATE INDEX money_merchant_without_success ON money_operation (merchant_id, created_at, id)
    WHERE state <> 'SUCCEEDED'`,
];
