// A production service that cannot be reached: a proxy lets nothing through to it, and counts.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export const ELSEWHERE = 'https://shop.invalid';

export interface Production {
  env: Record<string, string>;
  /** The options of a run on a terminal. */
  atTerminal: { terminal: true; env: Record<string, string> };
  /** How many requests were tried. */
  tries(): number;
}

export async function production(): Promise<Production> {
  let tries = 0;
  const proxy = createServer().on('connect', (_, socket) => {
    tries += 1;
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  });
  await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void proxy.close());
  const { port } = proxy.address() as AddressInfo;
  const env = {
    WAYBILL_BASE_URL: ELSEWHERE,
    WAYBILL_SANDBOX_BASE_URL: `${ELSEWHERE}/sandbox`,
    HTTPS_PROXY: `http://127.0.0.1:${port}`,
    NO_COLOR: '1',
  };
  return { env, atTerminal: { terminal: true, env }, tries: () => tries };
}
