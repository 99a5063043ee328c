import program from './program.cjs';

export const { startSandbox } = await program.load('sandbox/testing/start');
