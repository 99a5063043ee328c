import { execFile, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readCommand } from '../../src/gateway/money/commands/command.ts';
import { readFlags } from '../../src/sandbox/flags.ts';
import { readSandboxSettings } from '../../src/sandbox/settings.ts';
import { ownStore, type Stack, startStack } from '../support/start-stack.ts';
import { findFiles, readCodeBlocks, readMarkdownFiles, root } from './documents.ts';

const { scripts, dependencies } = readJson('package.json');
/** What the consumers use, and the schema. */
const installable = {
  ...readJson('test/consumer/package.json').devDependencies,
  ...readJson('test/consumer/tada/package.json').devDependencies,
  [packedName(readJson('schema/package.json'))]: 'packed',
};
/** A document beside a package of its own names the scripts of that package. */
const ownScripts: Readonly<Record<string, object>> = {
  'examples/dashboard/README.md': readJson('examples/dashboard/package.json').scripts,
};
const settings = readFileSync(`${root}docs/settings.md`, 'utf8');

function readJson(path: string) {
  return JSON.parse(readFileSync(root + path, 'utf8'));
}

function packedName({ name, version }: { readonly name: string; readonly version: string }) {
  return `./${name}-${version}.tgz`;
}

/** One command of a `sh` block, with the settings before it. */
interface Command {
  readonly where: string;
  readonly env: readonly string[];
  readonly words: readonly string[];
  readonly text: string;
}

const commands: Command[] = readMarkdownFiles().flatMap(({ path, text }) =>
  readCodeBlocks(text)
    .filter(({ language }) => language === 'sh')
    .flatMap(({ code, line }) => readCommands(code, `${path}:${line}`)),
);

function readCommands(code: string, where: string): Command[] {
  return code
    .replaceAll('\\\n', ' ')
    .split(/\n| && /)
    .map((text) => text.replace(/(^|\s)#.*$/, '').trim())
    .filter((text) => text !== '')
    .map((text) => {
      const all = (text.match(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g) ?? []).map((word) =>
        word.replace(/['"]/g, ''),
      );
      const first = all.findIndex((word) => !/^[A-Z_]+=/.test(word));
      return {
        where,
        text,
        env: all.slice(0, first).map((word) => word.slice(0, word.indexOf('='))),
        words: all.slice(first),
      };
    });
}

/** What is wrong with a command, or undefined. `curl` commands are run below. */
function complaint({ where, env, words }: Command): string | undefined {
  const tested = words[0] === 'npx';
  const unknown = env.filter((name) => !settings.includes(`\`${name}\``) && !tested);
  if (unknown.length > 0) return `${unknown} is not a setting`;
  const [program, verb = '', ...rest] = words;
  if (program === 'curl') return undefined;
  if (program === 'npm') {
    return npmComplaint(verb, rest, ownScripts[where.slice(0, where.indexOf(':'))]);
  }
  if (program === 'tillgraph') return tillgraphComplaint(verb, rest);
  if (program === 'node') {
    const [file = ''] = [verb, ...rest].filter((word) => !word.startsWith('--'));
    if (file === 'bin/gateway.js' && `node ${[verb, ...rest].join(' ')}` !== scripts.start) {
      return `npm start runs ${scripts.start}`;
    }
    return existsSync(root + file) ? undefined : `there is no ${file}`;
  }
  if (program === 'npx' && verb === 'vitest') return vitestComplaint(rest);
  // Run by `test/consumer/documents.test.ts`.
  if (program === 'npx' && verb === 'genql') return undefined;
  if (DEPLOYERS.has(program ?? '')) return deployComplaint([verb, ...rest]);
  return 'no check knows this command';
}

/** No engine runs them here: `test/deploy` checks what is in the files that they use. */
const DEPLOYERS = new Set(['buildah', 'docker', 'podman', 'kubectl', 'cp']);

function deployComplaint(words: readonly string[]): string | undefined {
  const files = words.filter((word) => word.startsWith('deploy/') && word !== 'deploy/.env');
  const missing = files.filter((path) => !existsSync(root + path));
  return missing.length === 0 ? undefined : `there is no ${missing}`;
}

function npmComplaint(
  verb: string,
  rest: readonly string[],
  known: object = scripts,
): string | undefined {
  // The second is how the image is built.
  if (
    verb === 'ci' &&
    ['', '--omit=optional', '--omit=dev,--omit=optional'].includes(rest.join())
  ) {
    return undefined;
  }
  // Run by `test/consumer/event-programs.test.ts`.
  if (['init -y', 'pkg set type=module'].includes([verb, ...rest].join(' '))) return undefined;
  // Run by `test/consumer/documents.test.ts`.
  if (verb === 'pack' && rest.join() === '../tillgraph/schema') return undefined;
  // Linked by `test/program/sandbox-entry.test.ts`.
  if (verb === 'install' && rest.join() === '--save-dev,../tillgraph') return undefined;
  if (verb === 'install') {
    const packages = rest.filter((word) => !word.startsWith('-'));
    const missing = packages.filter((name) => !(name.replace(/@\d+$/, '') in installable));
    return missing.length === 0 ? undefined : `${missing} is not tested in test/consumer`;
  }
  const [script = '', separator, ...args] = verb === 'run' ? rest : [verb, ...rest];
  if (!(script in known)) return `package.json has no script "${script}"`;
  if (script === 'money') return tillgraphComplaint(script, args);
  if (script === 'sandbox') return sandboxComplaint(args);
  if (separator !== undefined) return `nothing checks the arguments of "${script}"`;
  return undefined;
}

function tillgraphComplaint(verb: string, rest: readonly string[]): string | undefined {
  if (verb !== 'money') return `tillgraph has no command "${verb}"`;
  readCommand(rest);
  return undefined;
}

function sandboxComplaint(args: readonly string[]): string | undefined {
  readSandboxSettings(readFlags(args).settings);
  return undefined;
}

function vitestComplaint(rest: readonly string[]): string | undefined {
  const filters = rest[0] === 'run' ? rest.slice(1) : rest;
  if (filters.length === 0) return 'name a folder or a file';
  const paths = findFiles('test/', '.test.ts');
  const missing = filters.find((filter) => !paths.some((path) => path.includes(filter)));
  return missing === undefined ? undefined : `no test file matches ${missing}`;
}

test.each(commands)('$where: $text', (command) => {
  expect(complaint(command)).toBeUndefined();
});

test.each([
  'npm run no-such-script',
  'NO_SUCH_SETTING=1 npm start',
  'npm install no-such-package',
  'node bin/no-such-file.js',
  'tillgraph list',
  'npx vitest',
  'npx vitest test/unit no-such-test',
  'kubectl apply -k deploy/nowhere',
  'format c:',
])('a command that does not work is found: %s', (text) => {
  expect(readCommands(text, 'here').map(complaint)).toEqual([expect.stringMatching(/\w/)]);
});

test('a wrong command of the operator is found', () => {
  for (const text of ['npm run money -- resolve 5', 'tillgraph money resolve 5']) {
    expect(() => readCommands(text, 'here').map(complaint)).toThrow();
  }
});

const curl = spawnSync('curl', ['--version']).error === undefined;
if (!curl) console.warn('Skipped: the curl commands of the documents, because curl is missing.');

describe.skipIf(!curl)('the curl commands', () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack({ controlPort: 0, store: await ownStore() });
  });
  afterAll(() => stack.close());

  // `events.test.ts` runs those that do not end.
  const withCurl = commands.filter(({ words }) => words[0] === 'curl' && words[1] !== '-N');

  test.each(withCurl)('$where: $text', async ({ text }) => {
    const { sandbox, url } = stack;
    const here = text
      .replaceAll('http://127.0.0.1:4000', url)
      .replaceAll('http://127.0.0.1:2223', sandbox.usersUrl)
      .replaceAll('http://127.0.0.1:2224', sandbox.paymentsUrl)
      .replaceAll('http://127.0.0.1:2225', sandbox.posUrl)
      .replaceAll('http://127.0.0.1:2226', sandbox.controlUrl ?? '')
      .replaceAll('<demo key>', sandbox.demoApp.key)
      .replace(/^curl/, 'curl --silent --show-error --fail-with-body');
    const { status, stdout, stderr } = await run(here);
    expect(status, stdout + stderr).toBe(0);
    if (text.includes('card[number]')) expect(stdout).toMatch(/<main data-transaction-id="\w+">/);
    else if (text.includes('/export')) expect(stdout).toMatch(/^cursor,id,[\s\S]+\r\n$/);
    else if (/\/reset|-X DELETE|\/inbox\/orders -d/.test(text)) expect(stdout).toBe('');
    else expect(JSON.parse(stdout)).not.toHaveProperty('errors');
  });
});

/** Runs a command in a shell without blocking this process, which may be the one that answers. */
function run(command: string) {
  return new Promise<{ status: number; stdout: string; stderr: string }>((resolve) => {
    execFile('sh', ['-c', command], (error, stdout, stderr) => {
      resolve({ status: error === null ? 0 : 1, stdout, stderr });
    });
  });
}

test('the test file of docs/sandbox-control.md is the one that test/program runs', () => {
  const file = readFileSync(`${root}test/consumer/sandbox/refund.test.js`, 'utf8');
  const [document] = readMarkdownFiles().filter(({ path }) => path === 'docs/sandbox-control.md');
  const blocks = readCodeBlocks(document?.text ?? '').filter(({ language }) => language === 'js');
  expect(blocks.map(({ code }) => code.trim())).toEqual([file.trim()]);
});

test('the program uses no development package', () => {
  const sources = findFiles('src/', '.ts').map((path) => readFileSync(root + path, 'utf8'));
  const imported = sources.flatMap((text) =>
    [...text.matchAll(/^(?:import (?!type )[^'\n]*|\} from )'([^.'][^']*)';$/gm)].map(
      ([, name = '']) => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name,
    ),
  );
  const packages = new Set(imported.filter((name) => !name.startsWith('node:')));
  expect(packages.size).toBeGreaterThan(5);
  expect([...packages].filter((name) => !(name in dependencies))).toEqual([]);
});
