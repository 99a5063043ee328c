import { type StartOptions, startSandbox, type TestSandbox } from './start.ts';

/** A call of the parent process: to start a sandbox, or of a function of one or of its inbox. */
type Call = { readonly call: number } & (
  | { readonly start: StartOptions }
  | {
      readonly sandbox: number;
      readonly inbox?: string;
      readonly path: string;
      readonly args: readonly unknown[];
    }
);

/** Runs sandboxes for a program that cannot load ES modules. It is started by `bin/sandbox.cjs`. */
const sandboxes: TestSandbox[] = [];

async function run(call: Call): Promise<unknown> {
  if ('start' in call) {
    const sandbox = await startSandbox(call.start);
    const index = sandboxes.push(sandbox) - 1;
    return { sandbox: index, values: valuesOf(sandbox), paths: pathsOf(sandbox) };
  }
  const sandbox = sandboxes[call.sandbox];
  let target: unknown = call.inbox === undefined ? sandbox : sandbox?.inbox(call.inbox);
  // Each name but the last leads to an object, because the path was made by `pathsOf`.
  for (const name of call.path.split('.')) target = (target as Record<string, unknown>)[name];
  if (typeof target !== 'function') throw new Error(`${call.path} is not a function.`);
  return target(...call.args);
}

function valuesOf(sandbox: TestSandbox): object {
  const isPlain = (value: unknown) => pathsOf({ value }).length === 0;
  return Object.fromEntries(Object.entries(sandbox).filter(([, value]) => isPlain(value)));
}

/** The paths of all functions in an object: `close`, `faults.add`. */
function pathsOf(values: object): string[] {
  return Object.entries(values).flatMap(([name, value]) => {
    if (typeof value === 'function') return [name];
    if (typeof value !== 'object' || value === null) return [];
    return pathsOf(value).map((path) => `${name}.${path}`);
  });
}

process.on('message', (call: Call) => {
  const answer = (result: object) => process.send?.({ call: call.call, ...result });
  run(call).then(
    (result) => answer({ result }),
    (error: Error) => answer({ error: { ...error, name: error.name, message: error.message } }),
  );
});
// The parent has closed every sandbox, or has ended.
process.on('disconnect', () => process.exit(0));
