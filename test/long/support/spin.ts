import { execFile } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { scratchFolder } from '../../support/storage.ts';

const model = fileURLToPath(new URL('../spin/money.pml', import.meta.url));

const MAX_MEMORY_MB = 2_000;
/** More than the longest run of the model. spin reports an error if it is too small. */
const MAX_DEPTH = 100_000;
const MAX_OUTPUT_BYTES = 10_000_000;

/** Values of the model's constants. The model defines the others. */
export type Constants = Readonly<Record<string, number | string>>;

/** A statement of the model that no run executes. */
export interface Statement {
  /** Process and state number. */
  readonly id: string;
  readonly line: number;
  readonly text: string;
}

/** What spin reports about one world. */
export interface Report {
  readonly errors: number;
  /** Why the run is an error. */
  readonly violated: string | undefined;
  /** False if spin stopped at a limit of depth or memory. */
  readonly isComplete: boolean;
  readonly states: number;
  readonly unreached: readonly Statement[];
}

function run(folder: string, program: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { cwd: folder, maxBuffer: MAX_OUTPUT_BYTES };
    execFile(program, args, options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`${program} ${args.join(' ')}: ${stdout}${stderr}`, { cause: error }));
    });
  });
}

/** Searches all states of the model with these constants. Stops at the first error. */
export async function search(constants: Constants): Promise<Report> {
  const folder = scratchFolder();
  cpSync(model, join(folder, 'money.pml'));
  const definitions = Object.entries(constants).map(([name, value]) => `-D${name}=${value}`);
  // Without -o3, spin merges statements, and its report leaves some of them out.
  await run(folder, 'spin', ['-o3', '-a', ...definitions, 'money.pml']);
  // With -O2, compiling takes longer than it saves.
  const options = ['-O1', '-w', '-DSAFETY', `-DMEMLIM=${MAX_MEMORY_MB}`];
  await run(folder, 'gcc', [...options, '-o', 'pan', 'pan.c']);
  return readReport(await run(folder, './pan', [`-m${MAX_DEPTH}`]));
}

function readReport(output: string): Report {
  const [, errors, states] = /errors: (\d+)\n\s+(\d+) states, stored/.exec(output) ?? [];
  if (errors === undefined) throw new Error(`The output of pan has no result: ${output}`);
  return {
    errors: Number(errors),
    violated: /^pan:\d+: (.*)/m.exec(output)?.[1],
    isComplete: !/max search depth too small|out of memory|Search not completed/.test(output),
    states: Number(states),
    unreached: readUnreached(output),
  };
}

function readUnreached(output: string): Statement[] {
  return output.split(/^unreached in /m).flatMap((section) => {
    const [name = ''] = section.split('\n', 1);
    const found = section.matchAll(/^\tmoney\.pml:(\d+), state (\d+), "(.*)"$/gm);
    return [...found].map(([, line, state, text = '']) => ({
      id: `${name} ${state}`,
      line: Number(line),
      text,
    }));
  });
}
