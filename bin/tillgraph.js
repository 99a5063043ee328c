#!/usr/bin/env node
import program from './program.cjs';

await program.run('cli/tillgraph');
