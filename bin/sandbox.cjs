'use strict';

// For programs that cannot load ES modules, such as tests in Jest. The sandboxes run in a child
// process; this file passes on the calls. Plain JavaScript, because the compiler emits ES modules.

const { fork } = require('node:child_process');
const { modulePath } = require('./program.cjs');

const CHILD = modulePath('sandbox/testing/child');

/** The child process of this process, with the calls that wait for it. */
let child;
let running = 0;
let calls = 0;

function startChild() {
  // Tests end before it pays to optimize WebAssembly, which is what the database is.
  const process_ = fork(CHILD, { serialization: 'advanced', execArgv: ['--liftoff-only'] });
  const waiting = new Map();
  process_.on('message', ({ call, result, error }) => {
    const { resolve, reject } = waiting.get(call);
    waiting.delete(call);
    if (waiting.size === 0) process_.channel?.unref();
    if (error === undefined) resolve(result);
    else reject(Object.assign(new Error(error.message), error));
  });
  process_.on('exit', (code) => {
    if (child?.process === process_) child = undefined;
    for (const { reject } of waiting.values()) {
      reject(new Error(`The process of the sandbox ended (${code}).`));
    }
  });
  // A test that fails before it closes its sandbox still ends: the child ends with it.
  process_.unref();
  process_.channel.unref();
  return { process: process_, waiting };
}

function send(message) {
  child ??= startChild();
  const { process: process_, waiting } = child;
  return new Promise((resolve, reject) => {
    const call = calls++;
    waiting.set(call, { resolve, reject });
    process_.channel?.ref();
    process_.send({ call, ...message });
  });
}

/** The functions of an inbox. */
const INBOX_PATHS = ['next', 'list', 'clear', 'respondWith'];

/** Turns the paths of functions, such as `faults.add`, into functions that call the child. */
function functionsOf(owner, paths) {
  const functions = {};
  for (const path of paths) {
    const names = path.split('.');
    const last = names.pop();
    let target = functions;
    for (const name of names) {
      target[name] ??= {};
      target = target[name];
    }
    target[last] = (...args) => send({ ...owner, path, args });
  }
  return functions;
}

/** Starts a sandbox. The same as the function of the ES module, but `log` is not supported. */
async function startSandbox(options = {}) {
  if (options !== null && typeof options === 'object' && options.log !== undefined) {
    throw new TypeError(
      'startSandbox: `log` is not supported with `require`; use `requests.list()` of the sandbox.',
    );
  }
  running++;
  try {
    const { sandbox, values, paths } = await send({ start: options });
    const functions = functionsOf({ sandbox }, paths);
    const inbox = (name) => ({
      url: `${values.controlUrl}/inbox/${encodeURIComponent(name)}`,
      ...functionsOf({ sandbox, inbox: name }, INBOX_PATHS),
    });
    let closed;
    const close = () => {
      closed ??= functions.close().finally(leave);
      return closed;
    };
    return { ...values, ...functions, inbox, close };
  } catch (error) {
    leave();
    throw error;
  }
}

/** Ends the child when the last sandbox is closed, so that a test can end. */
function leave() {
  running--;
  if (running > 0 || child === undefined) return;
  child.process.disconnect();
  child = undefined;
}

module.exports = { startSandbox };
