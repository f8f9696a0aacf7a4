// The server of the emulator and of `webhook listen`: no client can block it.
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

test('a sender that is too slow gets 408, and the connection is closed', async () => {
  const { address, arrived } = await serving({ arrivalTimeout: 20 });
  const head = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n12';
  expect(await talk(address, 'POST / HT')).toMatch(/^HTTP\/1\.1 408 /);
  expect(await talk(address, head)).toMatch(/^$|^HTTP\/1\.1 408 /);
  expect(arrived).toEqual([]);
});

test('connections above the maximum are closed', async () => {
  const { address } = await serving({ maxConnections: 1 });
  const { port } = new URL(address);
  const first = net.connect(Number(port), '127.0.0.1');
  onTestFinished(() => void first.destroy());
  await new Promise(done => first.once('connect', done));
  expect(await talk(address, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n')).toBe('');
});

test('the connection of a request whose answer fails is closed, and the next request is answered', async () => {
  const { address } = await serving();
  await expect(fetch(`${address}/fail`)).rejects.toThrow();
  expect((await fetch(address)).status).toBe(200);
});
