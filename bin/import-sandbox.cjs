'use strict';

const { pathToFileURL } = require('node:url');
const { requireCompiled } = require('./require-compiled.cjs');

/**
 * Imports the compiled sandbox. Node.js loads this file, because it is required: Vitest transforms
 * every ES module outside `node_modules`, where a linked package is, and then loads `graphql` twice.
 */
function importSandbox() {
  return import(pathToFileURL(requireCompiled('sandbox/testing/start.js')).href);
}

module.exports = { importSandbox };
