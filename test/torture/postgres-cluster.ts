// A PostgreSQL server for one test. It syncs to the disk, can be restarted while it is used, and is removed in the end.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { lacking } from '../rig/needs.ts';
import { spawned } from '../rig/process.ts';

/** `fast` ends all connections and shuts down; `immediate` is a crash, and the server recovers from its log. */
export type Restart = 'fast' | 'immediate';

export interface Cluster {
  /** The address of a database in it, as `WAYBILL_JOURNAL` takes it. */
  url: string;
  /** That of the same database by the socket of the server. */
  socket: string;
  /** Resolves when it takes connections again. */
  restart(mode: Restart): Promise<unknown>;
  /** Makes a standby. Unless it follows, it never gets what is confirmed from now on, as one that lags behind. */
  standby(options?: { follows?: boolean }): Promise<Standby>;
  /** Dumps its database, and gives what restores the dump over what is there by then. */
  dumped(): Promise<() => Promise<unknown>>;
  /** Restores a dump of its database into another one, without that index, and gives the address. */
  restoredWithout(index: string): Promise<string>;
}

export interface Standby {
  url: string;
  /** Lets it take over. The old server goes on, too. */
  promote(): Promise<unknown>;
}

/** The folder of the server's programs; `undefined` if they are not installed. */
const SERVER = folders().find(folder => existsSync(join(folder, 'initdb')));

/** Why there is no server for a test, if so. */
export const noCluster = lacking(SERVER !== undefined, 'the programs of PostgreSQL are not installed');

function folders(): string[] {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  return [
    ...versions.map(version => join(debian, version, 'bin')),
    ...(process.env.PATH ?? '').split(delimiter),
  ];
}

const SECONDS = '600';

/** Calls `act` with a new cluster and removes the cluster afterwards. */
export async function withCluster<T>(
  act: (cluster: Cluster) => Promise<T>,
  { fsync = 'on' } = {},
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-postgres-'));
  const data = join(folder, 'data');
  const log = join(folder, 'log');
  const port = await freePort();
  const controlOf =
    (data: string) =>
    (...words: string[]) =>
      asServer(folder, 'pg_ctl', ['-D', data, '-w', '-t', SECONDS, ...words]);
  const control = controlOf(data);
  const standbys: string[] = [];
  const urlOf = (port: number) => `postgres://waybill@127.0.0.1:${port}/postgres`;
  const settingsOf = (port: number) =>
    `-p ${port} -k ${folder} -c listen_addresses=127.0.0.1 -c fsync=${fsync} -c synchronous_commit=on`;
  try {
    // The server refuses to run as root. Then its own user gets the folder.
    if (isRoot) spawnSync('chown', ['postgres', folder]);
    await asServer(folder, 'initdb', `-D ${data} -U waybill -A trust -E UTF8 --no-locale -N`.split(' '));
    await control('start', '-l', log, '-o', settingsOf(port));
    return await act({
      url: urlOf(port),
      socket: `postgres://waybill@/postgres?host=${encodeURIComponent(folder)}&port=${port}&connect_timeout=300`,
      restart: mode => control('restart', '-l', log, '-m', mode),
      async standby({ follows = false } = {}) {
        const own = await freePort();
        const standby = join(folder, `standby-${standbys.length}`);
        standbys.push(standby);
        await asServer(folder, 'pg_basebackup', ['-d', urlOf(port), '-D', standby, '-R', '-c', 'fast']);
        const lag = follows ? '' : ' -c primary_conninfo=';
        const controlStandby = controlOf(standby);
        await controlStandby('start', '-l', `${log}-standby`, '-o', settingsOf(own) + lag);
        return { url: urlOf(own), promote: () => controlStandby('promote') };
      },
      async dumped() {
        const dump = join(folder, 'whole');
        await asServer(folder, 'pg_dump', ['-d', urlOf(port), '-Fc', '-f', dump]);
        return () => asServer(folder, 'pg_restore', ['-d', urlOf(port), '--clean', dump]);
      },
      async restoredWithout(index) {
        const [dump, list] = [join(folder, 'dump'), join(folder, 'list')];
        const restored = urlOf(port).replace(/postgres$/, 'restored');
        await asServer(folder, 'pg_dump', ['-d', urlOf(port), '-Fc', '-f', dump]);
        await asServer(folder, 'createdb', ['--maintenance-db', urlOf(port), 'restored']);
        const contents = await asServer(folder, 'pg_restore', ['-l', dump]);
        const kept = contents.split('\n').filter(line => !line.includes(` ${index} `));
        writeFileSync(list, kept.join('\n'));
        await asServer(folder, 'pg_restore', ['-d', restored, '-L', list, dump]);
        return restored;
      },
    });
  } catch (error) {
    const said = existsSync(log) ? readFileSync(log, 'utf8').slice(-2000) : '';
    throw new Error(`with a cluster that said: ${said}`, { cause: error });
  } finally {
    for (const one of [data, ...standbys])
      if (existsSync(join(one, 'postmaster.pid'))) await controlOf(one)('stop', '-m', 'immediate');
    rmSync(folder, { recursive: true, force: true });
  }
}

const isRoot = process.getuid?.() === 0;

/** Runs a program of the server without blocking this process, in which the witness runs. */
async function asServer(cwd: string, program: string, words: readonly string[]): Promise<string> {
  const path = join(SERVER ?? '', program);
  const [first = '', ...rest] = isRoot
    ? ['runuser', '-u', 'postgres', '--', path, ...words]
    : [path, ...words];
  const env = { PATH: process.env.PATH ?? '', LC_ALL: 'C' };
  const { code, stdout, stderr } = await spawned(first, rest, { cwd, env }).ended;
  if (code !== 0) throw new Error(`${program} ${words[0]}: ${stdout}${stderr}`);
  return stdout;
}

/** Below the ports for clients: a client could take one of those while the server restarts. */
async function freePort(): Promise<number> {
  for (let tries = 0; tries < 100; tries += 1) {
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    if (await isFree(port)) return port;
  }
  throw new Error('no port is free');
}

const isFree = (port: number): Promise<boolean> =>
  new Promise(resolve => {
    const server = net.createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
