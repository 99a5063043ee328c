import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** An example operation: one file of `schema/operations`, its variables in a JSON file beside it. */
export interface ExampleOperation {
  /** File name without ending; files are shown in its order. */
  readonly name: string;
  /** The page of a dashboard that would send it: its first line. */
  readonly page: string;
  readonly query: string;
  /** JSON text; `{}` for none. */
  readonly variables: string;
}

const folder = new URL('../../../schema/operations/', import.meta.url);

/** The example operations in the order of their names. */
export function readExampleOperations(): ExampleOperation[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.graphql'))
    .sort()
    .map((file) => {
      const name = file.replace(/\.graphql$/, '');
      const variables = new URL(`${name}.json`, folder);
      const query = readFileSync(new URL(file, folder), 'utf8');
      return {
        name,
        page: /^# (.+)/.exec(query)?.[1] ?? name,
        query,
        variables: existsSync(variables) ? readFileSync(variables, 'utf8').trim() : '{}',
      };
    });
}
