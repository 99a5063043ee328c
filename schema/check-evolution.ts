import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { unwrittenBreaks } from './evolution.ts';

/**
 * `npm run evolution` compares the schema with that of the last release, or of the commit
 * before if there is no release. It fails on a breaking change that `schema/CHANGES.md` does
 * not list.
 */
const root = fileURLToPath(new URL('..', import.meta.url));

function git(...args: string[]): string | undefined {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout : undefined;
}

const release = git('describe', '--tags', '--abbrev=0', '--match', 'v[0-9]*', 'HEAD^');
const base = (release ?? git('rev-parse', '--verify', '--quiet', 'HEAD^1'))?.trim();
const sdl = base && git('show', `${base}:schema/schema.graphql`);

if (!sdl) {
  console.log('schema: there is no earlier version to compare with');
} else {
  const breaks = unwrittenBreaks(
    { sdl, changes: git('show', `${base}:schema/CHANGES.md`) ?? '' },
    {
      sdl: readFileSync(`${root}schema/schema.graphql`, 'utf8'),
      changes: readFileSync(`${root}schema/CHANGES.md`, 'utf8'),
    },
  );
  for (const change of breaks) {
    console.error(`Breaking since ${base}: ${change} Add this sentence to schema/CHANGES.md.`);
  }
  process.exitCode = breaks.length === 0 ? 0 : 1;
}
