import { money } from './money.ts';
import { readVersion } from './version.ts';

const USAGE = `Usage: tillgraph money <command>

  money      Commands of the operator: shows and settles money operations.
             \`tillgraph money --help\` lists them.
  --version  Prints the version.`;

/** The command `tillgraph`. */
const [name, ...args] = process.argv.slice(2);
if (name === 'money') {
  await money(args);
} else if (name === '--version') {
  console.log(readVersion());
} else if (name === '--help' || name === '-h') {
  console.log(USAGE);
} else {
  console.error(USAGE);
  process.exitCode = 2;
}
