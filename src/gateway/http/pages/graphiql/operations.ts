import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { packageFile } from '../../../../package-files.ts';

/** An example operation: a file of `schema/operations`, with its variables in a JSON file beside it. */
export interface ExampleOperation {
  /** File name without its ending. Examples are shown in the order of their names. */
  readonly name: string;
  /** The group under which GraphiQL shows it: its first line. */
  readonly group: string;
  readonly query: string;
  /** JSON text; `{}` if there are none. */
  readonly variables: string;
}

const folder = packageFile('schema/operations/');

/** Reads the example operations, in the order of their names. */
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
        group: /^# (.+)/.exec(query)?.[1] ?? name,
        query,
        variables: existsSync(variables) ? readFileSync(variables, 'utf8').trim() : '{}',
      };
    });
}
