// The built command with a journal in PostgreSQL: results of another user, and passwords out of the environment, which only a
// process of its own has.
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { jsonLines, order } from '../rig/batch.ts';
import { titled } from '../rig/needs.ts';
import { describeShared, relayTo, sharedPlace } from '../rig/postgres.ts';
import { builtCommand, commandsOf, createWorld, start, type World } from '../rig/process.ts';
import { SHIPMENT } from '../rig/service.ts';

const SECRET = 'hunter:2\\';
const noUsers =
  (process.getuid?.() !== 0 || spawnSync('unshare', ['--map-user=54321', 'true']).status !== 0) &&
  'only root can give a file to somebody else';

describeShared('The built command', () => {
  const command = builtCommand();

  const { waybill } = commandsOf(command);
  const booked = ({ seen }: World) => seen.filter(({ method }) => method === 'POST').length;

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

  test('takes its password from PGPASSWORD, or from a PGPASSFILE that only its user may read, and shows it nowhere', async () => {
    const world = await createWorld();
    const relay = await relayTo((await sharedPlace()).address, { password: SECRET });
    const escaped = SECRET.replaceAll('\\', '\\\\').replaceAll(':', '\\:');
    const entry = `127.0.0.1:${new URL(relay.address).port}:*:*:${escaped}\n`;
    const file = (name: string, mode: number) => {
      const path = join(world.folder, name);
      writeFileSync(path, entry, { mode });
      return path;
    };
    for (const [env, exit, count] of [
      [{ PGPASSWORD: 'wrong' }, 10, 0],
      [{ PGPASSFILE: file('open', 0o644) }, 10, 0],
      [{ PGPASSFILE: file('passwords', 0o600) }, 0, 1],
      [{ PGPASSWORD: SECRET }, 0, 1],
    ] as const) {
      const more = { env: { WAYBILL_JOURNAL: relay.address, ...env }, stdin: JSON.stringify(SHIPMENT) };
      const { code, stdout, stderr } = await waybill(world, 'ship -f - --key ORDER-1 --json --verbose', more)
        .ended;
      expect([env, code, booked(world)]).toEqual([env, exit, count]);
      expect(stdout + stderr).not.toMatch(/hunter|wrong/);
    }
  });
});
