import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** How a command-line tool ended, and everything that it printed. */
export interface ToolResult {
  readonly failed: boolean;
  readonly output: string;
}

/**
 * Runs a tool of the consumer's packages in a folder.
 *
 * @param packages folder of the packages, seen from here
 */
export function runTool(
  name: string,
  args: readonly string[],
  folder: string,
  packages = 'node_modules',
): Promise<ToolResult> {
  const program = fileURLToPath(new URL(`${packages}/.bin/${name}`, import.meta.url));
  // With the `NODE_ENV` of vitest, the code generator prints nothing, not even its errors.
  const env = { ...process.env, NODE_ENV: 'development' };
  return new Promise((resolve) => {
    execFile(program, args, { cwd: folder, env }, (error, stdout, stderr) => {
      resolve({ failed: error !== null, output: stdout + stderr });
    });
  });
}
