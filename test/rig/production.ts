// A production service that cannot be reached: a proxy lets nothing through to it, and counts.
import { createServer } from 'node:http';
import { onTestFinished } from 'vitest';
import { listening } from './sockets.ts';

export const ELSEWHERE = 'https://shop.invalid';

export async function production() {
  let tries = 0;
  const proxy = createServer().on('connect', (_, socket) => {
    tries += 1;
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  });
  const { port, close } = await listening(proxy);
  onTestFinished(close);
  const env: Record<string, string> = {
    WAYBILL_BASE_URL: ELSEWHERE,
    WAYBILL_SANDBOX_BASE_URL: `${ELSEWHERE}/sandbox`,
    HTTPS_PROXY: `http://127.0.0.1:${port}`,
    NO_COLOR: '1',
  };
  return {
    env,
    /** The options of a run on a terminal. */
    atTerminal: { terminal: true, env },
    /** How many requests were tried. */
    tries: () => tries,
  };
}
