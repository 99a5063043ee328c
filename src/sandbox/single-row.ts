/** Returns the row of a statement that always returns exactly one. Throws for any other number. */
export function singleRow<Row>(rows: readonly Row[]): Row {
  const [row] = rows;
  if (row === undefined || rows.length > 1) {
    throw new Error(`Expected one row, but the statement returned ${rows.length}`);
  }
  return row;
}
