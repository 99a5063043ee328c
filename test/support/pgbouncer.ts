import { writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { setup as setupDatabases } from './databases.ts';
import { freePort } from './free-port.ts';
import { spawnProcess } from './process.ts';

/**
 * Starts databases of their own for the tests of a project, and PgBouncer in front of them: each
 * transaction can get another connection, and settings of a connection are lost.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const stopDatabases = await setupDatabases(project);
  const url = new URL(project.getProvidedContext().postgresUrl);
  const port = await freePort();
  const file = join(project.getProvidedContext().scratch, 'pgbouncer.ini');
  const { hostname, username } = url;
  writeFileSync(
    file,
    `[databases]
* = host=${hostname} port=${url.port} user=${username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
server_idle_timeout = 2
max_client_conn = 1000
`,
  );
  // It refuses to run as root.
  const user = userInfo().uid === 0 ? ['--user', 'nobody'] : [];
  const running = spawnProcess('pgbouncer', [...user, file]);
  await running.reported(/process up/);
  url.port = String(port);
  project.provide('postgresUrl', url.href);
  return async () => {
    await running.stop();
    await stopDatabases();
  };
}
