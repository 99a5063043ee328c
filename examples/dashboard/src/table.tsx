import type { ReactNode } from 'react';

interface TableProperties {
  readonly name: string;
  readonly head: readonly string[];
  /** How many columns from the left are text. The others are numbers. */
  readonly texts: number;
  readonly rows: readonly (readonly ReactNode[])[];
}

/** A table. On a narrow screen, the style sheet shows each row as a list with the titles. */
export function Table({ name, head, texts, rows }: TableProperties) {
  const kind = (column: number) => (column < texts ? 'text' : 'number');
  return (
    <table>
      <caption>{name}</caption>
      <thead>
        <tr>
          {head.map((title, column) => (
            <th key={title} scope="col" className={kind(column)}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((cells, row) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows are only added at the end
          <tr key={row}>
            {cells.map((cell, column) => (
              <td key={head[column]} data-title={head[column]} className={kind(column)}>
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
