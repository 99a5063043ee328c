'use strict';

// Plain JavaScript that old versions of Node read, too, so that they can say what is missing.

const { existsSync } = require('node:fs');
const nodeModule = require('node:module');
const { join } = require('node:path');
const { pathToFileURL } = require('node:url');

const LEAST = 24;
const FOLDER = join(__dirname, '..');

/**
 * The path of a module, such as `sandbox/main`: its source or, in an installed package, what the
 * compiler has made of it. Throws an error if this Node is too old for either.
 */
function modulePath(name) {
  if (Number.parseInt(process.versions.node, 10) < LEAST) {
    throw new Error(`Node ${LEAST} or newer is needed. This is Node ${process.version.slice(1)}.`);
  }
  const source = join(FOLDER, 'src', `${name}.ts`);
  return existsSync(source) ? source : join(FOLDER, 'dist', `${name}.js`);
}

/** Imports a module. */
function load(name) {
  return import(pathToFileURL(modulePath(name)).href);
}

/** Runs a program. On a Node that is too old, prints one line and ends. */
async function run(name) {
  try {
    modulePath(name);
  } catch (error) {
    console.error(error.message);
    process.exit(2);
  }
  nodeModule.enableCompileCache();
  await load(name);
}

module.exports = { modulePath, load, run };
