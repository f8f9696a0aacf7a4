// The built command with a journal in PostgreSQL: processes that race for one booking, and passwords out of the
// environment, which only a process of its own has.
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { describeShared, relayTo, sharedPlace } from '../rig/postgres.ts';
import { builtCommand, commandsOf, createWorld, type Ended, type World } from '../rig/process.ts';
import { errorOf, SHIPMENT } from '../rig/service.ts';

const SECRET = 'hunter:2\\';
const stdin = JSON.stringify(SHIPMENT);
const SHIP = ['ship', '-f', '-', '--key', 'ORDER-1', '--json'];

describeShared('The built command', () => {
  const command = builtCommand();

  const { waybill } = commandsOf(command);
  const started = (world: World, argv: readonly string[], env: Record<string, string>) =>
    waybill(world, argv, { env, stdin }).ended;

  /** Eight at once; each disk is a new one. */
  async function eight(world: World, argv: readonly string[]): Promise<Ended[]> {
    const { address } = await sharedPlace();
    return Promise.all(
      Array.from({ length: 8 }, (_, index) => {
        const own = { WAYBILL_JOURNAL: address, WAYBILL_STATE_DIR: join(world.folder, `state-${index}`) };
        return started(world, argv, own);
      }),
    );
  }

  const booked = ({ seen }: World) => seen.filter(({ method }) => method === 'POST').length;

  test('eight processes with one key: one sends, and all print the same answer', async () => {
    const world = await createWorld();
    const ended = await eight(world, SHIP);
    expect(ended.map(({ code }) => code)).toEqual(Array(8).fill(0));
    expect(new Set(ended.map(({ stdout }) => JSON.parse(stdout).id)).size).toBe(1);
    expect(new Set(ended.map(({ stdout }) => stdout)).size).toBe(1);
    expect(booked(world)).toBe(1);
  });

  test('eight processes with the same input and no key: one sends, and the others refuse and name the booking', async () => {
    const world = await createWorld();
    const ended = await eight(world, ['ship', '-f', '-', '--json']);
    expect(ended.map(({ code }) => code).sort()).toEqual([0, ...Array(7).fill(2)]);
    for (const one of ended)
      if (one.code === 2)
        expect(errorOf({ stderr: one.stderr, exitCode: 2 })).toMatchObject({
          code: 'duplicate',
          booking: expect.stringMatching(/^bk_/),
        });
    expect(booked(world)).toBe(1);
  });

  test('eight processes for the label of one shipment: one requests it, and all show it', async () => {
    const world = await createWorld();
    const shipped = await started(world, ['ship', '-f', '-', '-q'], {
      WAYBILL_JOURNAL: (await sharedPlace()).address,
    });
    const ended = await eight(world, ['label', '--international', shipped.stdout.trim(), '--json']);
    expect(ended.map(({ code }) => code)).toEqual(Array(8).fill(0));
    expect(new Set(ended.map(({ stdout }) => stdout)).size).toBe(1);
    expect(booked(world)).toBe(2);
  });

  describe('takes its password from', () => {
    async function guarded() {
      const world = await createWorld();
      const relay = await relayTo((await sharedPlace()).address, { password: SECRET });
      const { port } = new URL(relay.address);
      const run = (more: Record<string, string>) =>
        started(world, [...SHIP, '--verbose'], { WAYBILL_JOURNAL: relay.address, ...more });
      return { ...{ world, port, run } };
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
