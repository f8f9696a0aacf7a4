// Deliveries as they come: shown, answered, sent on, and delivered by the emulator end to end.
import net, { type AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { createRig, type Ran, type Rig, type RunOptions } from '../../rig/command.ts';
import { errorOf, refused, SHIPMENT } from '../../rig/service.ts';
import { event, http, rawServer } from '../../rig/sockets.ts';

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
  const port = await freePort();
  const ran = run(`webhook listen --port ${port} ${flags}`, options);
  await Promise.race([ran, taken(port)]);
  const address = `http://127.0.0.1:${port}`;
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

const freePort = (): Promise<number> =>
  new Promise(done => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => done(port));
    });
  });

async function taken(port: number): Promise<void> {
  for (let tries = 0; tries < 10_000; tries += 1) {
    const isThere = await new Promise<boolean>(done => {
      const socket = net.connect(port, '127.0.0.1');
      socket.once('connect', () => done(true)).once('error', () => done(false));
      socket.once('connect', () => socket.end());
    });
    if (isThere) return;
    await new Promise(done => setTimeout(done, 10));
  }
  throw new Error(`nothing listens on ${port}`);
}

describe('A delivery', () => {
  test('is a line with what happened, and is answered with 200', async () => {
    const { address, ran, deliver } = await listening('--count 2');
    expect(await deliver()).toBe(200);
    const packed = { ...EVENT, data: { shipmentId: 'S-2', status: 'packed' } };
    expect(await deliver(packed, {}, '/other?a=1')).toBe(200);
    expect(await ran).toMatchObject({
      exitCode: 0,
      stdout: [
        '2026-03-02T09:00:00Z  POST /hook  shipment.status.updated  S-1  delivered  answered 200',
        '2026-03-02T09:00:00Z  POST /other?a=1  shipment.status.updated  S-2  packed  answered 200',
        '',
      ].join('\n'),
      stderr: `Listening on ${address}; each delivery is answered with 200. Ctrl-C ends it.\n`,
      requests: [],
    });
  });

  test('of another shape shows how it begins, and nothing that a terminal obeys', async () => {
    const { ran, deliver } = await listening('--count 4');
    await deliver('\u001b[31mplain\u202e text\nof two lines');
    await deliver({ strange: ['\u0007', 1] });
    await deliver({ event: `long${'x'.repeat(5000)}` });
    await deliver('', { method: 'GET' }, `/${'y'.repeat(5000)}`);
    const lines = (await ran).stdout.trimEnd().split('\n');
    expect(lines[0]).toBe('2026-03-02T09:00:00Z  POST /hook  [31mplain text of two lines  answered 200');
    expect(lines[1]).toContain('{"strange":["\\u0007",1]}');
    expect(lines[2]).toContain('longxxx');
    expect(lines[3]).toContain('GET /yyy');
    for (const line of lines) {
      expect(line.length).toBeLessThan(200);
      expect(line).not.toMatch(/\p{Cc}|\p{Cf}/u);
    }
  });

  test('over 1 MiB is refused with 413, and said to be; any other gets the status that was chosen', async () => {
    const { ran, deliver } = await listening('--count 2 --status 503');
    expect(await deliver('x'.repeat(1024 * 1024))).toBe(503);
    expect(await deliver('x'.repeat(1024 * 1024 + 1))).toBe(413);
    expect((await ran).stdout).toContain('the body is larger than 1048576 bytes  answered 413');
  });

  test('that cannot be shown is not accepted: exit 10', async () => {
    const fault = { stdoutFault: new Error('ENOSPC: no space left on device') };
    const { ran, deliver } = await listening('', fault);
    await expect(deliver()).rejects.toThrow();
    expect(await ran).toMatchObject({ exitCode: 10, stderr: expect.stringContaining('ENOSPC') });
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
      const [first, second, ...rest] = stdout
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line));
      const masked = { 'x-shop': 'şal', 'x-api-key': '••••', authorization: '••••' };
      expect(first).toEqual({
        ...{ at: '2026-03-02T09:00:00.000Z', method: 'POST', path: '/hook?key=••••&shop=2' },
        ...{ headers: expect.objectContaining(masked), body: { ...EVENT, token: '••••' } },
        ...{ answered: 200, forwarded: null, error: null },
      });
      expect([second.body, rest]).toEqual(['no JSON', []]);
      expect(JSON.parse(stderr)).toEqual({ note: expect.stringContaining('Listening on http://127.0.0.1:') });
      expect(stdout).not.toMatch(/k-1|b-1|t-1|q-1/);
    },
  );

  test('-q is the shipment, or else the event', async () => {
    const { ran, deliver } = await listening('--count 3 -q');
    for (const body of [EVENT, { type: 'shipment.milestone.updated' }, '?']) await deliver(body);
    const stdout = 'S-1\nshipment.milestone.updated\nPOST /hook\n';
    expect(await ran).toMatchObject({ stdout, stderr: '' });
  });

  test('--query is a line each', async () => {
    const { ran, deliver } = await listening('--count 2 --query body.data');
    await deliver();
    await deliver();
    const line = JSON.stringify(EVENT.data);
    expect((await ran).stdout).toBe(`${line}\n${line}\n`);
  });
});

describe('--forward-to', () => {
  test('sends it on as it came, bytes and all, and answers with what came back', async () => {
    const there = await rawServer(socket => socket.end(http(202, 'thanks')));
    const { address, ran } = await listening(`--count 1 --forward-to localhost:${there.port}/in?a=1`);
    const body = Buffer.from([0, 0xff, 0xfe, 0x0a, 0xc3]);
    const status = await raw(new URL(address), [
      'PUT /hook HTTP/1.1',
      'Host: here',
      'X-Shop: \xc5\x9fal',
      'X-Once: mine',
      'Connection: close, x-once',
      'Keep-Alive: timeout=5',
      `Content-Length: ${body.length}`,
      'Content-Type: application/octet-stream',
    ])(body);
    expect(status).toBe(202);
    expect(await ran).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/ {2}forwarded 202 {2}answered 202\n$/),
      stderr: expect.stringContaining(`is forwarded to http://localhost:${there.port}/in?a=1`),
    });
    const [head = '', sent = ''] = (there.requests[0] ?? '').split('\r\n\r\n');
    const lines = head.split('\r\n').map(line => line.toLowerCase());
    expect(lines[0]).toBe('put /in?a=1 http/1.1');
    for (const line of [
      `host: localhost:${there.port}`,
      'x-shop: \xe5\x9fal',
      'content-type: application/octet-stream',
      'content-length: 5',
    ])
      expect(lines).toContain(line);
    expect(head).not.toMatch(/x-once|keep-alive|host: here/i);
    expect(Buffer.from(sent, 'latin1')).toEqual(body);
  });

  test('follows no redirect', async () => {
    const elsewhere = await rawServer(socket => socket.end(http(200)));
    const there = await rawServer(socket => socket.end(http(302, '', { location: elsewhere.url.href })));
    const { ran, deliver } = await listening(`--count 1 --forward-to ${there.url}`);
    expect(await deliver()).toBe(302);
    expect((await ran).stdout).toContain('forwarded 302');
    expect(elsewhere.requests).toEqual([]);
  });

  test.each([
    ['', 502],
    [' --status 204', 204],
  ])('that does not answer is reported, and answered%s with %i', async (flag, status) => {
    const to = `127.0.0.1:${await freePort()}`;
    const { ran, deliver } = await listening(`--count 1 --json --forward-to ${to}${flag}`);
    expect(await deliver()).toBe(status);
    const error = `not forwarded: connection refused (${to})`;
    expect(JSON.parse((await ran).stdout)).toMatchObject({ answered: status, forwarded: null, error });
  });

  test('that takes longer than --timeout is reported', async () => {
    const there = await rawServer(() => {});
    const flags = `--count 1 --timeout 7 --forward-to ${there.url}`;
    const { ran, deliver } = await listening(flags, { patience: there.received(1) });
    expect(await deliver()).toBe(502);
    expect((await ran).stdout).toContain('forwarded, but not answered: no complete answer within 7 s');
  });

  test('refuses deliveries after --count, to be sent again later', async () => {
    let answer = () => {};
    const there = await rawServer(socket => {
      answer = () => socket.end(http(200));
    });
    const { ran, deliver } = await listening(`--count 1 --forward-to ${there.url}`);
    const first = deliver();
    await there.received(1);
    expect(await deliver()).toBe(503);
    answer();
    expect(await first).toBe(200);
    expect((await ran).stdout.trimEnd().split('\n')).toHaveLength(1);
  });
});

describe('waybill webhook listen refuses', () => {
  test.each([
    '--host 0.0.0.0',
    '--host 192.168.0.1',
    '--host example.com',
    '--forward-to https://example.com/hook',
    '--forward-to http://127.0.0.1.example.com',
    '--forward-to ftp://127.0.0.1/',
    '--forward-to http://name:word@127.0.0.1/',
    '--forward-to /hook',
    '--status 100',
    '--status 600',
    '--count 0',
    '--max-wait 0',
    '--port 70000',
  ])('%s', async wrong => {
    const { message } = await refused(await createRig(), `webhook listen --port 0 ${wrong}`);
    expect(message).toContain(wrong.split(' ')[0]);
  });

  test('csv, a port that is in use, and its own port as the one to send to', async () => {
    const { run, address } = await createRig();
    const csv = await run('webhook listen --port 0 -o csv');
    expect([csv.exitCode, csv.stderr]).toEqual([2, expect.stringContaining('cannot show csv')]);
    const { port } = new URL(address);
    const words = `port ${port} is in use. Give another one with --port`;
    const taken = await run(`webhook listen --port ${port}`);
    expect([taken.exitCode, taken.stderr]).toEqual([10, expect.stringContaining(words)]);
    const free = await freePort();
    const own = await run(`webhook listen --port ${free} --forward-to localhost:${free}`);
    expect([own.exitCode, own.stderr]).toEqual([2, expect.stringContaining('Give another --port')]);
  });
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

  test('after --max-wait with exit 0, if one came and there is no --count', async () => {
    const [patience, over] = event();
    const { ran, deliver } = await listening('--max-wait 5', { patience });
    await deliver();
    over();
    expect((await ran).exitCode).toBe(0);
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

describe('With the emulator', () => {
  const subscribe = (rig: Rig, address: string, more: string) =>
    rig.run(`webhook create --url ${address}/hook --event shipment.status.updated ${more}`);

  const ship = async (rig: Rig) => (await rig.json('ship -f -', { stdin: JSON.stringify(SHIPMENT) })).id;

  const jsonIn = ({ stdout }: Ran) =>
    stdout
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line));

  test('a shipment is delivered as an event when it is created, and when it arrives', async () => {
    const rig = await createRig();
    const { address, ran } = await listening('--count 2 --json', {}, rig);
    await subscribe(rig, address, '--header X-Shop:one');
    const id = await ship(rig);
    rig.clock.now += 3 * 86_400_000;
    expect((await rig.run(['track', id])).exitCode).toBe(0);
    const shown = jsonIn(await ran);
    expect(shown.map(({ body }) => [body.type, body.data.shipmentId, body.data.milestone])).toEqual([
      ['shipment.status.updated', id, 'pending_arrival_at_warehouse'],
      ['shipment.status.updated', id, 'delivered'],
    ]);
    expect(shown.map(({ headers }) => headers['x-shop'])).toEqual(['one', 'one']);
  });

  test('what is answered with 500 is tried again, as the retry policy says', async () => {
    const rig = await createRig();
    const { address, ran } = await listening('--count 3 --status 500 --json', {}, rig);
    await subscribe(rig, address, '--max-retries 2 --initial-delay-ms 0');
    await ship(rig);
    const ids = jsonIn(await ran).map(({ body }) => body.id);
    expect([ids.length, new Set(ids).size]).toEqual([3, 1]);
  });

  test('it reaches a receiver of one’s own through --forward-to, with its secret headers', async () => {
    const there = await rawServer(socket => socket.end(http(200)));
    const rig = await createRig();
    const { address, ran } = await listening(`--count 1 --forward-to ${there.url}`, {}, rig);
    await subscribe(rig, address, '--header X-Secret:s-1');
    const id = await ship(rig);
    expect((await ran).stdout).toContain(`${id}  pending_arrival_at_warehouse  forwarded 200  answered 200`);
    for (const part of ['s-1', id]) expect(there.requests[0]).toContain(part);
  });
});

/** Sends a request byte by byte, as `fetch` would not; gives the status of its answer. */
const raw =
  (url: URL, head: readonly string[]) =>
  (body: Buffer): Promise<number> =>
    new Promise((done, fail) => {
      const socket = net.connect(Number(url.port), url.hostname);
      let seen = '';
      socket.setEncoding('latin1').on('data', chunk => {
        seen += chunk;
      });
      socket.once('end', () => done(Number(seen.split(' ')[1]))).once('error', fail);
      socket.write(Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'));
      socket.write(body);
    });

test('a delivery of nearly a megabyte is shown, whatever its characters are', {
  timeout: 120_000,
}, async () => {
  const kinds = [' ', '0', '"', '\\', '{', '[', '"token"', '\u0301\u0316', '\n'];
  const { deliver, ran } = await listening(`--count ${2 * kinds.length}`);
  for (const kind of kinds) {
    const text = kind.repeat(200_000 / kind.length);
    expect(await deliver(text)).toBe(200);
    expect(await deliver({ type: text, data: { milestone: `${text}!` } })).toBe(200);
  }
  expect((await ran).exitCode).toBe(0);
});
