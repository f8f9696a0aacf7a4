// `--log` of the command as it is shipped: what is in the file when a process is killed, and when several write to it.
import { execFileSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { LogLine } from '../../src/output/schemas.ts';
import { jsonLines, keys, order } from '../rig/batch.ts';
import { createRig } from '../rig/command.ts';
import { valuesIn } from '../rig/outputs.ts';
import { builtCommand, commandsOf, createWorld } from '../rig/process.ts';
import { fixture } from '../rig/service.ts';

const command = builtCommand();
const { waybill, shell } = commandsOf(command);

const PARCEL = fixture('v1/carriers/proposal/POST/minimal.request.json');

const logOf = (folder: string, name = 'log.jsonl') =>
  valuesIn(readFileSync(join(folder, name), 'utf8')) as LogLine[];

describe('the log', () => {
  test('may be shared: the lines of each process are whole', async () => {
    const { env, folder } = await createWorld();
    const shops = ['0', '1', '2'];
    const runs = shops.map(shop => {
      writeFileSync(
        join(folder, `${shop}.jsonl`),
        // Other goods, so that nobody is warned of the same order under another key.
        jsonLines(keys(20).map(key => order(`${shop}-${key}`))),
      );
      return waybill({ env, folder }, `batch ship ${shop}.jsonl -q --log log.jsonl --run ${shop}`).ended;
    });
    for (const { code, stderr } of await Promise.all(runs)) expect([code, stderr]).toEqual([0, '']);
    const lines = logOf(folder);
    for (const shop of shops)
      expect(lines.filter(({ run, event }) => run === shop && event === 'outcome')).toHaveLength(20);
    expect(new Set(lines.map(line => line.process)).size).toBe(3);
    expect(statSync(join(folder, 'log.jsonl')).mode & 0o777).toBe(0o640);
  });

  test('goes on in a new line behind one that an earlier process could not end', async () => {
    const cut = '{"time":"2026-03-02T09:00:00.000Z","run';
    const world = await createWorld();
    writeFileSync(join(world.folder, 'log.jsonl'), cut);
    await waybill(world, 'track gone --log log.jsonl').ended;
    const [first, ...rest] = readFileSync(join(world.folder, 'log.jsonl'), 'utf8').split('\n');
    expect([first, valuesIn(rest.join('\n'))]).toMatchObject([cut, [{ event: 'request' }, { event: 'end' }]]);
  });

  test('may be a pipe, whose reader gets each line, also when it is slow', async () => {
    const world = await createWorld();
    // More than a pipe holds.
    writeFileSync(join(world.folder, 'quotes.jsonl'), `${JSON.stringify(PARCEL)}\n`.repeat(300));
    const read = '>(sleep 1; cat > piped.jsonl; touch done); while [ ! -e done ]; do sleep 0.01; done';
    const piped = await shell(world, `waybill batch quote quotes.jsonl -q --log ${read}`);
    expect(piped.stderr).toBe('');
    const events = logOf(world.folder, 'piped.jsonl').map(({ event }) => event);
    expect(events.filter(event => event === 'request')).toHaveLength(300);
    expect(events.at(-1)).toBe('end');
  });

  test('that is a pipe which nobody reads is refused, and does not hang', async () => {
    const rig = await createRig();
    execFileSync('mkfifo', [join(rig.folder, 'pipe')]);
    const ran = await rig.run('track gone --log pipe');
    expect(ran).toMatchObject({
      exitCode: 10,
      requests: [],
      stderr: expect.stringMatching(/start its reader/),
    });
  });
});
