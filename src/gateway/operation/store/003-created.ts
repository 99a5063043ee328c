/** What was created, so that an operator's proof is found without reading everything. */
export const created: readonly string[] = [
  `CREATE INDEX money_created ON money_operation (transaction_id) WHERE kind = 'CREATE'`,
];
