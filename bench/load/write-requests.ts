import { writeFileSync } from 'node:fs';
import { bodyOf, type Dialect } from '../operations.ts';
import type { Scenario } from '../scenarios.ts';
import { keys } from '../services/records.ts';

/** Writes the requests of a scenario for a dialect: in each line a header, a tab and a body. */
export function writeRequests(file: string, { requests }: Scenario, dialect: Dialect): void {
  const lines = requests.map(
    (request) => `Bearer ${keys[request.sender]}\t${bodyOf(dialect, request)}\n`,
  );
  writeFileSync(file, lines.join(''));
}
