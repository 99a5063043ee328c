import { existsSync, readFileSync, watch } from 'node:fs';
import { dirname } from 'node:path';
import { inject } from 'vitest';

const file = inject('prepared');

/** Waits until the consumers are prepared, before their tests are imported. */
await new Promise<void>((resolve) => {
  const watcher = watch(dirname(file));
  const look = () => {
    if (!existsSync(file)) return;
    watcher.close();
    resolve();
  };
  watcher.on('change', look);
  look();
});
const reason = readFileSync(file, 'utf8');
if (reason !== '') throw new Error(reason);
