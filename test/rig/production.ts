// A production service that cannot be reached: a proxy lets nothing through to it, and counts.
import { createServer, request } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { connect } from 'node:net';
import { onTestFinished } from 'vitest';
import { authority } from './certificates.ts';
import type { Rig } from './command.ts';
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

/** The service of a rig as a production service: its name is no loopback address. Gives the environment of a run. */
export async function asProduction({ address, file }: Pick<Rig, 'address' | 'file'>) {
  const { hostname } = new URL(ELSEWHERE);
  const company = authority('company');
  const { key, cert } = company.certify({ name: hostname, hosts: [hostname] });
  const service = createSecureServer({ key, cert }, (asked, answer) => {
    const { method, headers, url } = asked;
    const passed = request(new URL(url ?? '', address), { method, headers }, got => {
      answer.writeHead(got.statusCode ?? 502, got.headers);
      got.pipe(answer);
    });
    asked.pipe(passed);
  });
  const inner = await listening(service);
  const proxy = createServer().on('connect', (_, socket) => {
    const tunnel = connect(inner.port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      tunnel.pipe(socket).pipe(tunnel);
    });
    for (const one of [socket, tunnel]) one.on('error', () => socket.destroy());
  });
  const outer = await listening(proxy);
  onTestFinished(outer.close);
  onTestFinished(inner.close);
  return {
    WAYBILL_BASE_URL: ELSEWHERE,
    WAYBILL_CACERT: file('authority.pem', company.cert),
    HTTPS_PROXY: `http://127.0.0.1:${outer.port}`,
    NO_COLOR: '1',
  };
}
