// What the emulator and `webhook listen` have in common: a server that nobody can hold up.
import net from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { type HttpRequest, type HttpServerOptions, serveHttp, writeResponse } from '../src/http-server.ts';

async function serving(options: Partial<HttpServerOptions> = {}) {
  const arrived: HttpRequest[] = [];
  const { address, close } = await serveHttp(
    { name: 'It', host: '127.0.0.1', port: 0, bodyLimit: 10, ...options },
    async (request, response) => {
      arrived.push(request);
      if (request.path === '/fail') throw new Error('no answer');
      await writeResponse(response, { status: 200, headers: {}, body: 'well' });
    },
  );
  onTestFinished(close);
  return { address, close, arrived };
}

/** Opens a connection, writes, and gives what comes until it is closed. */
const talk = (address: string, text: string): Promise<string> =>
  new Promise(done => {
    const { port, hostname } = new URL(address);
    const socket = net.connect(Number(port), hostname, () => socket.write(text));
    let seen = '';
    socket.setEncoding('latin1').on('data', chunk => {
      seen += chunk;
    });
    socket.on('error', () => {}).once('close', () => done(seen));
  });

test('a request is given whole, and its body is not where it is too long', async () => {
  const { address, arrived } = await serving();
  const post = (body: string) => fetch(`${address}/a?b=c`, { method: 'POST', body, headers: { 'X-A': '1' } });
  expect(await (await post('0123456789')).text()).toBe('well');
  expect(await (await post('0123456789+')).text()).toBe('well');
  expect(arrived[0]).toMatchObject({ method: 'POST', path: '/a?b=c', headers: { 'x-a': '1' } });
  expect(arrived.map(({ body }) => body?.toString())).toEqual(['0123456789', undefined]);
});

test('whoever sends too slowly is answered with 408 and cut off', async () => {
  const { address, arrived } = await serving({ arrivalTimeout: 20 });
  const head = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n12';
  expect(await talk(address, 'POST / HT')).toMatch(/^HTTP\/1\.1 408 /);
  expect(await talk(address, head)).toMatch(/^$|^HTTP\/1\.1 408 /);
  expect(arrived).toEqual([]);
});

test('more connections than are taken at a time are closed', async () => {
  const { address } = await serving({ maxConnections: 1 });
  const { port } = new URL(address);
  const first = net.connect(Number(port), '127.0.0.1');
  onTestFinished(() => void first.destroy());
  await new Promise(done => first.once('connect', done));
  expect(await talk(address, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n')).toBe('');
});

test('a request whose answer fails is cut off, and the next one is answered', async () => {
  const { address } = await serving();
  await expect(fetch(`${address}/fail`)).rejects.toThrow();
  expect((await fetch(address)).status).toBe(200);
});

test('an address that cannot be had is told in a sentence', async () => {
  const { address } = await serving();
  const port = Number(new URL(address).port);
  await expect(serving({ port })).rejects.toThrow(`It cannot listen on 127.0.0.1: port ${port} is in use`);
});
