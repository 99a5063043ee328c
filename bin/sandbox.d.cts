import type * as esm from '../dist/sandbox/testing/start.js' with { 'resolution-mode': 'import' };

export type StartOptions = Omit<esm.StartOptions, 'log'>;
export type TestSandbox = esm.TestSandbox;

/**
 * Starts both services, the payment page and the control interface in a child process, on free
 * ports of this machine. Sandboxes do not see each other.
 */
export declare function startSandbox(options?: StartOptions): Promise<TestSandbox>;
