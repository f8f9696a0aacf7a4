// What bodies are taken is tested with `webhook listen`, which has this server as the emulator does.
import { expect, onTestFinished, test } from 'vitest';
import { serveHttp, writeResponse } from '../../src/host/http-server.ts';

test('the connection of a request whose answer fails is closed, and the next request is answered', async () => {
  const { address, close } = await serveHttp(
    { name: 'It', host: '127.0.0.1', port: 0, bodyLimit: 10 },
    async ({ path }, response) => {
      if (path === '/fail') throw new Error('no answer');
      await writeResponse(response, { status: 200, headers: {}, body: 'well' });
    },
  );
  onTestFinished(close);
  await expect(fetch(`${address}/fail`)).rejects.toThrow();
  expect((await fetch(address)).status).toBe(200);
});
