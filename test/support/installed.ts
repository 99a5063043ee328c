import { spawnSync } from 'node:child_process';

/**
 * Why tests that run other programs are skipped, as a remark for their names; empty if all of
 * them are installed.
 *
 * @param programs names of programs, each with an argument that makes it print and end
 */
export function reasonToSkip(programs: Readonly<Record<string, string>>): string {
  const missing = Object.entries(programs)
    .filter(([program, argument]) => spawnSync(program, [argument]).error !== undefined)
    .map(([program]) => program);
  return missing.length > 0 ? ` (skipped: install ${missing.join(' and ')})` : '';
}
