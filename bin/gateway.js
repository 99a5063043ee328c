import program from './program.cjs';

await program.run('main');
