// The whole way as a user goes it: an emulator, a receiver, a subscription and a shipment, each a process of its own.
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { builtCommand, commandsOf, createWorld, type World } from '../rig/process.ts';
import { open } from '../rig/terminal.ts';

const command = builtCommand();
const { waybill } = commandsOf(command);
const ORDER = resolve('fixtures/orders/shirt.json');

const addressIn = (line: string): string => /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0] ?? '';

/** A receiver as a process of its own; its address is read off the one line that it says when it is ready. */
async function listening(world: World, flags: string) {
  const running = waybill(world, `webhook listen --port 0 ${flags}`);
  return { ...running, address: addressIn(await running.firstLine('stderr')) };
}

const SUBSCRIBE = 'webhook create -q --event shipment.status.updated --event shipment.milestone.updated';
const SHIP = `ship -q -f ${ORDER} --carrier EXP`;

describe('webhook listen', () => {
  test('shows what the emulator delivers, and ends after --count deliveries', async () => {
    const world = await createWorld();
    const emulator = waybill(world, 'emulator --port 0 -q --speed 1e9');
    const env = { WAYBILL_BASE_URL: await emulator.firstLine() };
    const receiver = await listening(world, '--count 4 --json');
    const made = await waybill(world, `${SUBSCRIBE} --url ${receiver.address}/hook --header X-Shop:one`, {
      env,
    }).ended;
    expect(made.code, made.stderr).toBe(0);
    const { stdout: id } = await waybill(world, SHIP, { env }).ended;
    const { code, stdout } = await receiver.ended;
    expect(code).toBe(0);
    const shown = stdout
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line));
    expect(shown).toHaveLength(4);
    for (const one of shown)
      expect(one).toMatchObject({
        method: 'POST',
        path: '/hook',
        headers: { 'x-shop': 'one' },
        body: { type: expect.stringMatching(/^shipment\.\w+\.updated$/), data: { shipmentId: id.trim() } },
      });
    expect(shown.filter(({ body }) => body.data.milestone === 'delivered')).toHaveLength(2);
    emulator.child.kill('SIGTERM');
    await emulator.ended;
  });

  test('gets the deliveries of the demo while a command of the demo runs', async () => {
    const world = await createWorld();
    const receiver = await listening(world, '--count 1 -o text --query body.data.shipmentId');
    const demo = (argv: string) =>
      waybill(world, `${argv} --profile demo`, { env: { WAYBILL_BASE_URL: '' } });
    expect((await demo(`${SUBSCRIBE} --url ${receiver.address}`).ended).code).toBe(0);
    const { stdout: id } = await demo(SHIP).ended;
    const watch = demo(`track ${id.trim()} --until delivered --interval 1`);
    expect(await receiver.ended).toMatchObject({ code: 0, stdout: id });
    watch.child.kill('SIGTERM');
    await watch.ended;
  });

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('ends on %s with exit %i, also while a sender is connected', async (signal, code) => {
    const world = await createWorld();
    const receiver = await listening(world, '');
    await (await fetch(receiver.address, { method: 'POST', body: 'x' })).text();
    receiver.child.kill(signal);
    const ended = await receiver.ended;
    expect(ended).toMatchObject({ code, signal: null });
    expect(ended.stderr.trimEnd().split('\n').at(-1)).toBe(`stopped by ${signal}; 1 delivery came`);
  });

  test('shows the deliveries on a terminal, and ends on Ctrl-C', async () => {
    const world = await createWorld();
    const at = open([command(), 'webhook', 'listen', '--port', '0'], { env: world.env, cwd: world.folder });
    await at.waitFor('Ctrl-C ends it.');
    const address = addressIn(at.screen());
    await (await fetch(`${address}/hook`, { method: 'POST', body: 'arrived\u001b[2J' })).text();
    await at.waitFor('POST /hook  arrived[2J');
    at.key('ctrl-c');
    expect(await at.ended).toMatchObject({ exitCode: 130 });
  });
});
