import { readFileSync } from 'node:fs';

const { scripts } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
);

/** The options of Node that `npm start` sets. */
export const startOptions: readonly string[] = scripts.start.match(/--\S+/g);
