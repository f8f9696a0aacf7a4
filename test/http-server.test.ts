// The server of the emulator and of `webhook listen`: no client can block it.
import { expect, onTestFinished, test } from 'vitest';
import {
  type HttpRequest,
  type HttpServerOptions,
  serveHttp,
  writeResponse,
} from '../src/host/http-server.ts';

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

test('a request is passed on when it is complete, without its body if that is too long', async () => {
  const { address, arrived } = await serving();
  const post = (body: string) => fetch(`${address}/a?b=c`, { method: 'POST', body, headers: { 'X-A': '1' } });
  expect(await (await post('0123456789')).text()).toBe('well');
  expect(await (await post('0123456789+')).text()).toBe('well');
  expect(arrived[0]).toMatchObject({ method: 'POST', path: '/a?b=c', headers: { 'x-a': '1' } });
  expect(arrived.map(({ body }) => body?.toString())).toEqual(['0123456789', undefined]);
});

test('the connection of a request whose answer fails is closed, and the next request is answered', async () => {
  const { address } = await serving();
  await expect(fetch(`${address}/fail`)).rejects.toThrow();
  expect((await fetch(address)).status).toBe(200);
});
