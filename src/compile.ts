import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type OutputFile } from 'esbuild';
import { isUnchanged, recordCompiled, stampsOf } from './compiled-files.ts';
import { readGraphiqlBundle } from './gateway/graphiql/graphiql-bundle.ts';

/**
 * Part of `npm start`, `npm run build` and `npm test`: compiles the program to `dist/`, and
 * compresses GraphiQL there. The program and its packages become a few files, because Node.js
 * needs longer to load a thousand small ones than to compile them. If nothing has changed since
 * the last time, nothing is compiled.
 */

const root = fileURLToPath(new URL('../', import.meta.url));
const dist = join(root, 'dist');

/** The files that are started, or imported by name. Those of the sandbox can be missing. */
const ENTRIES = [
  'main.ts',
  'cli.ts',
  'test-gateway.ts',
  'sandbox/main.ts',
  'sandbox/settings.ts',
  'sandbox/sandbox.ts',
  'sandbox/http/print-request.ts',
  'sandbox/testing/start.ts',
  'sandbox/testing/child.ts',
];

/** Packages that read files of their own, and one that `pg` uses if it is there. */
const EXTERNAL = ['@electric-sql/*', '@graphql-yoga/render-graphiql', 'pg-native'];

/** CommonJS inside these packages requires modules of Node.js. */
const BANNER =
  "import { createRequire as createRequire_ } from 'node:module';\n" +
  'const require = createRequire_(import.meta.url);';

/** Besides `src/`: what else the result depends on. npm writes the last one when it installs. */
const OTHER_SOURCES = ['package.json', 'tsconfig.json', 'node_modules/.package-lock.json'];
/** What was compiled last. */
const RECORD = join(dist, 'compiled.json');

const SHARED = /^shared-[A-Z0-9]{8}\.js(\.map)?$/;

async function compile(): Promise<void> {
  const names = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' });
  const sources = stampsOf(root, [...names.map((name) => join('src', name)), ...OTHER_SOURCES]);
  if (isUnchanged(root, sources, RECORD)) return;
  const existing = new Set(names);
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ENTRIES.filter((entry) => existing.has(entry)).map((entry) => `src/${entry}`),
    outbase: 'src',
    outdir: 'dist',
    chunkNames: 'shared-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.18',
    external: EXTERNAL,
    banner: { js: BANNER },
    sourcemap: true,
    logLevel: 'warning',
    write: false,
  });
  for (const file of outputFiles) keep(file);
  const written = new Set(outputFiles.map(({ path }) => path));
  for (const name of readdirSync(dist)) {
    const path = join(dist, name);
    if (SHARED.test(name) && !written.has(path)) rmSync(path);
  }
  const results = stampsOf(
    root,
    outputFiles.map(({ path }) => relative(root, path)),
  );
  recordCompiled({ sources, results }, RECORD);
}

/** Writes a file, unless it has this text: a program that runs may still load it. */
function keep({ path, contents }: OutputFile): void {
  try {
    if (readFileSync(path).equals(contents)) return;
  } catch {
    mkdirSync(dirname(path), { recursive: true });
  }
  writeFileSync(path, contents);
}

await compile();
await readGraphiqlBundle();
