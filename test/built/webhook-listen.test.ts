// `webhook listen` as a process of its own. What it shows, and how else it ends, is in test/commands/webhook/listen.test.ts.
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { builtCommand, commandsOf, createWorld } from '../rig/process.ts';
import { open } from '../rig/terminal.ts';

const command = builtCommand();
const { waybill } = commandsOf(command);
const ORDER = resolve('fixtures/orders/shirt.json');

const addressIn = (line: string): string => /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0] ?? '';

test('a receiver gets the deliveries of the demo while a command of the demo runs', async () => {
  const world = await createWorld();
  const receiver = waybill(world, 'webhook listen --port 0 --count 1 -o text --query body.data.shipmentId');
  const address = addressIn(await receiver.firstLine('stderr'));
  const demo = (argv: string) => waybill(world, `${argv} --profile demo`, { env: { WAYBILL_BASE_URL: '' } });
  const subscribe = `webhook create -q --event shipment.status.updated --url ${address}`;
  expect((await demo(subscribe).ended).code).toBe(0);
  const { stdout: id } = await demo(`ship -q -f ${ORDER} --carrier EXP`).ended;
  const watch = demo(`track ${id.trim()} --until delivered --interval 1`);
  expect(await receiver.ended).toMatchObject({ code: 0, stdout: id });
  watch.child.kill('SIGTERM');
  await watch.ended;
});

test('a receiver shows the deliveries on a terminal, and ends on Ctrl-C', async () => {
  const world = await createWorld();
  const at = open([command(), 'webhook', 'listen', '--port', '0'], { env: world.env, cwd: world.folder });
  await at.waitFor('Ctrl-C ends it.');
  await (await fetch(`${addressIn(at.screen())}/hook`, { method: 'POST', body: 'arrived\u001b[2J' })).text();
  await at.waitFor('POST /hook  arrived[2J');
  at.key('ctrl-c');
  expect(await at.ended).toMatchObject({ exitCode: 130 });
});
