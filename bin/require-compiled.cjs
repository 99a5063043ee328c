'use strict';

const { existsSync } = require('node:fs');
const { join } = require('node:path');

const FOLDER = join(__dirname, '..');

/** Returns the path of a compiled file. Throws an error that says what to do without it. */
function requireCompiled(file) {
  const path = join(FOLDER, 'dist', file);
  if (existsSync(path)) return path;
  throw new Error(
    `Tillgraph is not compiled. Run \`npm ci\` and \`npm run build\` in ${FOLDER} once.`,
  );
}

module.exports = { requireCompiled };
