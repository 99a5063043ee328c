import { type Narrowing, toText, toWord, UNREADABLE } from '../copied-list.ts';

/** Records of some merchants, as far as a filter needs them. */
export interface CopiedRecords {
  readonly merchants: readonly string[];
  readonly kind: string;
  readonly narrowing: Narrowing;
}

/** Adds a value to a statement. Returns its placeholder. */
export type Bind = (value: unknown) => string;

/** The values of a statement. */
export function createValues() {
  const values: unknown[] = [];
  const bind: Bind = (value) => `$${values.push(value)}`;
  return { values, bind };
}

/** The place of a record in an order. */
export function placeOf(
  columns: string,
  merchant: string,
  kind: string,
  id: string,
  bind: Bind,
): string {
  return `(SELECT ${columns} FROM replica_record
    WHERE merchant = ${merchant} AND kind = ${bind(kind)} AND id = ${bind(id)} LIMIT 1)`;
}

/** Only a record whose columns cannot be read has no time of creation. */
const orUnreadable = (condition: string) => `(${condition} OR created IS NULL)`;

/** The conditions on the records of a merchant. */
export function conditionsOf({ kind, narrowing }: CopiedRecords, bind: Bind): string {
  return [`kind = ${bind(kind)}`, 'NOT deleted', ...narrow(narrowing, bind)].join(' AND ');
}

function narrow({ created, amount, labels, texts }: Narrowing, bind: Bind): string[] {
  const range = (column: string, operator: string, limit: unknown) =>
    limit == null ? [] : [orUnreadable(`${column} ${operator} ${bind(limit)}`)];
  const part = (text: string) => `strpos(words, ${bind(toWord(text))}) > 0`;
  const isOne = (amounts: readonly bigint[]) =>
    amounts.length === 0 ? 'false' : `amount = ANY(${bind(amounts.map(String))}::bigint[])`;
  return [
    ...range('created', '>=', created?.from),
    ...range('created', '<', created?.to),
    ...range('amount', '>=', amount?.min),
    ...range('amount', '<=', amount?.max),
    ...labels.map((some) => `labels && ${bind([...some.map(toText), UNREADABLE])}::text[]`),
    ...texts.map(({ part: text, amounts }) => orUnreadable(`${part(text)} OR ${isOne(amounts)}`)),
  ];
}
