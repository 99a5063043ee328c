import { setting } from '../settings/setting.ts';
import { text, urlWithScheme } from '../settings/value-types.ts';

/** The folder of the embedded database, which both programs share. */
export const dataDir = setting('DATA_DIR', text, {
  default: '.data',
  description:
    'Folder of the embedded database, relative to the current directory. The gateway stores money operations there unless `DATABASE_URL` is set. The sandbox stores its records there unless `SANDBOX_DATABASE_URL` is set. Only one process at a time can use a folder.',
});

/** The URL of a PostgreSQL server. */
export const postgresUrl = urlWithScheme('postgresql', 'postgres');
