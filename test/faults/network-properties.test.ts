// With any bytes as an answer, a command ends with an exit code of its table, and books at most once.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRig } from '../rig/command.ts';
import { SECRET } from '../rig/oracles.ts';
import { SHIPMENT } from '../rig/service.ts';
import { rawServer } from '../rig/sockets.ts';
import { runs } from '../torture/size.ts';
import { COMMANDS, type Name, WELL_FOR_ALL } from './network-rig.ts';

const whole = fc.oneof(
  fc.uint8Array({ maxLength: 300 }).map(bytes => Buffer.from(bytes)),
  fc.string({ unit: 'binary', maxLength: 200 }).map(text => Buffer.from(text)),
  fc.json().map(text => Buffer.from(text)),
  // A good answer with a strange value in place of one of its values.
  fc
    .tuple(fc.constantFrom('id', 'proposals', 'status', 'success', 'carrier', 'message'), fc.jsonValue())
    .map(([name, value]) => Buffer.from(JSON.stringify({ ...JSON.parse(WELL_FOR_ALL), [name]: value }))),
  fc
    .string({ unit: 'binary', minLength: 1, maxLength: 40 })
    .map(text => Buffer.from(JSON.stringify({ id: text, message: text, proposals: [{ id: text }] }))),
);

const status = fc.oneof(fc.integer({ min: 200, max: 599 }), fc.constantFrom(200, 201, 204, 400, 429, 500));
const type = fc.constantFrom('application/json', 'text/html', 'text/plain; charset=utf-16', 'x/y', '');
const output = fc.constantFrom('', '--json', '--output csv', '-q', '--verbose');

const EXITS: Record<Name, number[]> = {
  quote: [0, 3, 4, 5, 6, 7],
  track: [0, 3, 4, 5, 6, 7],
  // 9: it names what was created, and says what failed.
  ship: [0, 3, 4, 5, 6, 8, 9],
};

test.each(Object.keys(COMMANDS) as Name[])('%s takes any answer', async name => {
  let answer = Buffer.alloc(0);
  const server = await rawServer(socket => void socket.end(answer));
  const rig = await createRig({ env: { WAYBILL_BASE_URL: server.url.origin, WAYBILL_TOKEN: SECRET } });
  let orders = 0;
  await fc.assert(
    fc.asyncProperty(whole, status, type, output, async (body, code, content, format) => {
      answer = Buffer.concat([
        Buffer.from(
          `HTTP/1.1 ${code} Word\r\ncontent-type: ${content}\r\ncontent-length: ${body.length}\r\n\r\n`,
        ),
        body,
      ]);
      const before = server.requests.length;
      orders += 1;
      const argv = `${COMMANDS[name].replace('ORDER-1', `ORDER-${orders}`)} ${format}`;
      const stdin = JSON.stringify({ ...SHIPMENT, chargeableWeight: orders });
      const { exitCode } = await rig.run(argv, { stdin, may: ['words'] });
      expect(EXITS[name]).toContain(exitCode);
      const arrived = server.requests.length - before;
      // Only a booking that was not processed (429) is sent again.
      if (name === 'ship' && code !== 429) expect(arrived).toBe(1);
      expect(arrived).toBeLessThanOrEqual(4);
    }),
    runs(120),
  );
});
