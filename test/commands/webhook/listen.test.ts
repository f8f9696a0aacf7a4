// Deliveries as they come: shown, answered, and delivered by the emulator end to end.
import net from 'node:net';
import { describe, expect, test, vi } from 'vitest';
import { createRig, type Ran, type Rig, type RunOptions } from '../../rig/command.ts';
import { errorOf, SHIPMENT } from '../../rig/service.ts';
import { event } from '../../rig/sockets.ts';

const EVENT = {
  id: 'evt_1',
  type: 'shipment.status.updated',
  createdAt: '2026-03-02T09:00:00.000Z',
  data: { shipmentId: 'S-1', status: 'delivered', milestone: 'delivered' },
};

interface Listening {
  address: string;
  ran: Promise<Ran>;
  deliver(body?: unknown, init?: RequestInit, path?: string): Promise<number>;
}

/** `waybill webhook listen` at a port of its own, once it takes connections. */
async function listening(flags = '--count 1', options: RunOptions = {}, rig?: Rig): Promise<Listening> {
  const { run } = rig ?? (await createRig());
  const server = nextServer();
  const ran = run(`webhook listen --port 0 ${flags}`, options);
  const address = await server;
  return {
    address,
    ran,
    async deliver(body = EVENT, init = {}, path = '/hook') {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const answer = await fetch(address + path, {
        method: 'POST',
        redirect: 'manual',
        ...(init.method !== 'GET' && { body: text }),
        ...init,
      });
      expect(await answer.text()).toBe('');
      return answer.status;
    },
  };
}

/** The address of the next server of this process, once it takes connections: `--quiet` does not show it. */
const nextServer = () =>
  new Promise<string>(done => {
    const { listen } = net.Server.prototype;
    const spy = vi.spyOn(net.Server.prototype, 'listen').mockImplementation(function (
      this: net.Server,
      ...words: unknown[]
    ) {
      spy.mockRestore();
      this.once('listening', () => done(`http://127.0.0.1:${(this.address() as net.AddressInfo).port}`));
      return Reflect.apply(listen, this, words);
    });
  });

const linesOf = (stdout: string) =>
  stdout
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line));

describe('A delivery', () => {
  test('is a line with time, path and body, and is answered with 200', async () => {
    const { address, ran, deliver } = await listening('--count 2');
    expect(await deliver()).toBe(200);
    expect(await deliver('', { method: 'GET' }, '/other?a=1')).toBe(200);
    expect(await ran).toMatchObject({
      exitCode: 0,
      stdout: `2 Mar 09:00  POST /hook  ${JSON.stringify(EVENT)}\n2 Mar 09:00  GET /other?a=1\n`,
      stderr: `Listening on ${address}; each delivery is answered with 200. Ctrl-C ends it.\n`,
      requests: [],
    });
  });

  test('of text is shown as it is, without anything that a terminal obeys', async () => {
    const { ran, deliver } = await listening('--count 2');
    await deliver('\u001b[31mplain\u202e text\nof two lines');
    await deliver({ strange: ['\u0007', 1] });
    const [text, json] = (await ran).stdout.trimEnd().split('\n');
    expect(text).toBe('2 Mar 09:00  POST /hook  [31mplain text of two lines');
    expect(json).toContain('{"strange":["\\u0007",1]}');
  });

  test('of a megabyte is shown, whatever its characters are; a larger one is refused with 413, and said', async () => {
    const kinds = [' ', '"', '{', '"token"', '\u0301\u0316', '\n'];
    const { ran, deliver } = await listening(`--count ${kinds.length + 1}`);
    for (const kind of kinds) expect(await deliver(kind.repeat(200_000 / kind.length))).toBe(200);
    expect(await deliver('x'.repeat(1024 * 1024 + 1))).toBe(413);
    expect((await ran).stdout).toContain('(larger than 1048576 bytes; answered 413)');
  });

  test('that cannot be shown is not accepted: exit 10', async () => {
    const fault = { stdoutFault: new Error('ENOSPC: no space left on device') };
    const { ran, deliver } = await listening('', fault);
    await expect(deliver()).rejects.toThrow('fetch failed');
    expect(await ran).toMatchObject({ exitCode: 10, stderr: expect.stringContaining('ENOSPC') });
  });

  test('that nobody reads is not accepted, either: its sender delivers it again', async () => {
    const { ran, deliver } = await listening('--count 2', { stdoutFault: 'closed' });
    await expect(deliver()).rejects.toThrow('fetch failed');
    expect(await ran).toMatchObject({ exitCode: 10, stderr: expect.stringContaining('nobody reads stdout') });
  });
});

describe('The formats', () => {
  test.each(['--json', '-o jsonl'])(
    '%s is a line each, with what is named like a secret masked',
    async flag => {
      const { ran, deliver } = await listening(`--count 2 ${flag}`);
      const shop = Buffer.from('şal').toString('latin1');
      const headers = { 'X-Shop': shop, 'X-Api-Key': 'k-1', authorization: 'Bearer b-1' };
      await deliver({ ...EVENT, token: 't-1' }, { headers }, '/hook?key=q-1&shop=2');
      await deliver('no JSON');
      const { stdout, stderr } = await ran;
      const [first, second, ...rest] = linesOf(stdout);
      const masked = { 'x-shop': 'şal', 'x-api-key': '••••', authorization: '••••' };
      expect(first).toEqual({
        at: '2026-03-02T09:00:00.000Z',
        method: 'POST',
        path: '/hook?key=••••&shop=2',
        headers: expect.objectContaining(masked),
        body: { ...EVENT, token: '••••' },
      });
      expect([second.body, rest]).toEqual(['no JSON', []]);
      expect(JSON.parse(stderr)).toEqual({ note: expect.stringContaining('Listening on http://127.0.0.1:') });
      expect(stdout).not.toMatch(/k-1|b-1|t-1|q-1/);
    },
  );
});

test('csv is refused, and so is a port that is in use', async () => {
  const { run, address } = await createRig();
  const csv = await run('webhook listen --port 0 -o csv');
  expect([csv.exitCode, csv.stderr]).toEqual([2, expect.stringContaining('cannot show csv')]);
  const { port } = new URL(address);
  const words = `port ${port} is in use; nothing was sent. Give another --port`;
  const taken = await run(`webhook listen --port ${port}`);
  expect([taken.exitCode, taken.stderr]).toEqual([10, expect.stringContaining(words)]);
});

describe('It ends', () => {
  test('after --max-wait with exit 9, if fewer came than --count', async () => {
    const [patience, over] = event();
    const { ran, deliver } = await listening('--count 2 --max-wait 2m --json', { patience });
    await deliver();
    over();
    const message = 'webhook listen: 1 of 2 deliveries came within 120 s';
    expect(errorOf(await ran)).toMatchObject({ code: 'partial', exitCode: 9, message });
  });

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('on %s with exit %i, which is no error to people', async (signal, code) => {
    const rig = await createRig();
    const stopped: RunOptions = { onRequest: (_, { interrupt }) => interrupt(signal) };
    const { ran, deliver } = await listening('', stopped, rig);
    await deliver();
    await fetch(rig.address);
    const { exitCode, stderr } = await ran;
    expect([exitCode, stderr.split('\n').at(-2)]).toEqual([code, `stopped by ${signal}; 1 delivery came`]);
  });
});

test('with the emulator a shipment is delivered when it is created, and when it arrives', async () => {
  const rig = await createRig();
  const [isShown, show] = event();
  const { address, ran } = await listening('--count 2 --json', { onStdout: show }, rig);
  await rig.run(`webhook create --url ${address}/hook --event shipment.status.updated --header X-Shop:one`);
  const { id } = await rig.json('ship -f -', { stdin: JSON.stringify(SHIPMENT) });
  await isShown;
  rig.clock.now += 3 * 86_400_000;
  expect((await rig.run(['track', id])).exitCode).toBe(0);
  const shown = linesOf((await ran).stdout);
  expect(shown.map(({ body }) => [body.type, body.data.shipmentId, body.data.milestone])).toEqual([
    ['shipment.status.updated', id, 'pending_arrival_at_warehouse'],
    ['shipment.status.updated', id, 'delivered'],
  ]);
  expect(shown.map(({ headers }) => headers['x-shop'])).toEqual(['one', 'one']);
});
