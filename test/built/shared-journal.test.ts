// The built command with a journal in PostgreSQL: processes that race for one booking, and passwords out of the
// environment, which only a process of its own has.
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { jsonLines, order } from '../rig/batch.ts';
import { titled } from '../rig/needs.ts';
import { describeShared, relayTo, type SharedPlace, sharedPlace } from '../rig/postgres.ts';
import { builtCommand, commandsOf, createWorld, type Ended, start, type World } from '../rig/process.ts';
import { SHIPMENT } from '../rig/service.ts';
import { FULL } from '../torture/size.ts';

const SECRET = 'hunter:2\\';
const stdin = JSON.stringify(SHIPMENT);
const noUsers =
  (process.getuid?.() !== 0 || spawnSync('unshare', ['--map-user=54321', 'true']).status !== 0) &&
  'only root can give a file to somebody else';
const SHIP = ['ship', '-f', '-', '--key', 'ORDER-1', '--json'];
const PROCESSES = FULL ? 8 : 4;

describeShared('The built command', () => {
  const command = builtCommand();

  const { waybill } = commandsOf(command);
  const started = (world: World, argv: readonly string[], env: Record<string, string>) =>
    waybill(world, argv, { env, stdin }).ended;

  /** All at once; each disk is a new one. */
  async function together(world: World, argv: readonly string[], place?: SharedPlace): Promise<Ended[]> {
    const { address } = place ?? (await sharedPlace());
    return Promise.all(
      Array.from({ length: PROCESSES }, (_, index) => {
        const own = { WAYBILL_JOURNAL: address, WAYBILL_STATE_DIR: join(world.folder, `state-${index}`) };
        return started(world, argv, own);
      }),
    );
  }

  const booked = ({ seen }: World) => seen.filter(({ method }) => method === 'POST').length;

  test('processes with one key: one sends, and all print the same answer', async () => {
    const world = await createWorld();
    const ended = await together(world, SHIP);
    expect(ended.map(({ code }) => code)).toEqual(Array(PROCESSES).fill(0));
    expect(new Set(ended.map(({ stdout }) => JSON.parse(stdout).id)).size).toBe(1);
    expect(new Set(ended.map(({ stdout }) => stdout)).size).toBe(1);
    expect(booked(world)).toBe(1);
  });

  describe.skipIf(noUsers)(titled('with results of another user', noUsers), () => {
    const OTHER = 12345;
    const TEXT = '{"key":"OLD","state":"created","shipmentId":"S-1"}\n';
    const NAME = 'orders.results.jsonl';

    /** A user id of this process alone, a folder with an order, and a file that belongs to somebody else. */
    async function foreign(name: string, mode: number) {
      const world = await createWorld();
      const path = join(world.folder, name);
      writeFileSync(join(world.folder, 'orders.jsonl'), jsonLines([order('ORDER-1')]));
      writeFileSync(path, TEXT);
      chmodSync(path, mode);
      chownSync(path, OTHER, OTHER);
      const env = { ...world.env, WAYBILL_JOURNAL: (await sharedPlace()).address };
      const ship = (more: string) => {
        const words = `batch ship orders.jsonl --json ${more}`.trim().split(' ');
        return start('unshare', ['--map-user=54321', process.execPath, command(), ...words], {
          env,
          cwd: world.folder,
        }).ended;
      };
      return { world, ship, text: () => readFileSync(path, 'utf8') };
    }

    test('that cannot be read: it ships without results, keeps the file and says so, once for each key', async () => {
      const { world, ship, text } = await foreign(NAME, 0o600);
      for (const sent of [1, 0]) {
        const { code, stdout, stderr } = await ship('');
        expect([code, JSON.parse(stdout)]).toMatchObject([
          0,
          { results: null, sent, states: { created: 1 } },
        ]);
        expect(JSON.parse(stderr).warning).toMatch(
          /^orders\.results\.jsonl cannot be read: this user may not read it; .*name it with --results$/,
        );
      }
      expect([booked(world), text()]).toEqual([1, TEXT]);
    });

    test('that this user may read and not replace: it ships without results', async () => {
      const { world, ship, text } = await foreign(NAME, 0o644);
      writeFileSync(join(world.folder, NAME), '');
      chmodSync(world.folder, 0o1777);
      chownSync(world.folder, OTHER, OTHER);
      const strict = await ship('--strict');
      expect([strict.code, booked(world)]).toEqual([2, 0]);
      const { code, stdout, stderr } = await ship('');
      expect([code, JSON.parse(stdout)]).toMatchObject([0, { results: null, sent: 1 }]);
      expect(JSON.parse(stderr).warning).toContain(`${NAME} cannot be written: this user may not write it; `);
      expect([booked(world), text()]).toEqual([1, '']);
      expect(readdirSync(world.folder).filter(name => name.endsWith('.part'))).toEqual([]);
    });
  });

  describe('takes its password from', () => {
    async function guarded() {
      const world = await createWorld();
      const relay = await relayTo((await sharedPlace()).address, { password: SECRET });
      const { port } = new URL(relay.address);
      const run = (more: Record<string, string>) =>
        started(world, [...SHIP, '--verbose'], { WAYBILL_JOURNAL: relay.address, ...more });
      return { world, port, run };
    }

    test('PGPASSWORD, and shows it nowhere', async () => {
      const { world, run } = await guarded();
      for (const PGPASSWORD of ['wrong', SECRET]) {
        const { code, stdout, stderr } = await run({ PGPASSWORD });
        expect([code, booked(world)]).toEqual(PGPASSWORD === SECRET ? [0, 1] : [10, 0]);
        expect(stdout + stderr).not.toContain(PGPASSWORD);
      }
    });

    test('PGPASSFILE, which only its user may read', async () => {
      const { world, port, run } = await guarded();
      const PGPASSFILE = join(world.folder, 'passwords');
      const escaped = SECRET.replaceAll('\\', '\\\\').replaceAll(':', '\\:');
      writeFileSync(PGPASSFILE, `127.0.0.1:${port}:*:*:${escaped}\n`);
      chmodSync(PGPASSFILE, 0o644);
      const open = await run({ PGPASSFILE });
      expect([open.code, booked(world)]).toEqual([10, 0]);
      chmodSync(PGPASSFILE, 0o600);
      const { code, stdout, stderr } = await run({ PGPASSFILE });
      expect([code, booked(world)]).toEqual([0, 1]);
      expect(stdout + stderr + open.stderr).not.toContain('hunter');
    });
  });
});
