// A raw socket between command and service: what passes it is the truth of what was sent, whatever our own HTTP code, on
// either side, believes.
import net from 'node:net';
import { complete } from './http/raw.ts';

/** A complete request, and the status of its answer if one has begun. */
export interface Passed {
  /** `POST /v1/shipments` */
  line: string;
  body: string;
  status?: number;
}

export interface Witness {
  address: string;
  /** In the order in which they were complete. */
  passed: Passed[];
  close(): Promise<void>;
}

/** Hands every byte on, in both directions, ends and resets too. */
export async function witnessOf(service: URL): Promise<Witness> {
  const passed: Passed[] = [];
  const open = new Set<net.Socket>();
  const server = net.createServer({ allowHalfOpen: true }, client => {
    const upstream = net.connect({ port: Number(service.port), host: service.hostname, allowHalfOpen: true });
    let asked = '';
    let waiting: Passed[] = [];
    client.on('data', chunk => {
      asked += chunk.toString('latin1');
      for (let length = complete(asked); length !== undefined; length = complete(asked)) {
        const [line = ''] = asked.split(' HTTP/1.1', 1);
        const body = Buffer.from(asked.slice(asked.indexOf('\r\n\r\n') + 4, length), 'latin1').toString();
        asked = asked.slice(length);
        const one = { line, body };
        passed.push(one);
        waiting.push(one);
      }
      upstream.write(chunk);
    });
    upstream.on('data', chunk => {
      const status = /^HTTP\/1\.1 (\d+)/.exec(chunk.toString('latin1'))?.[1];
      const first = status === undefined ? undefined : waiting.shift();
      if (first) first.status = Number(status);
      client.write(chunk);
    });
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(one);
      let ended = false;
      one.on('error', () => {});
      one.on('end', () => {
        ended = true;
        other.end();
      });
      one.on('close', () => {
        open.delete(one);
        waiting = [];
        if (!ended) other.resetAndDestroy();
      });
    }
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as net.AddressInfo;
  return {
    address: `http://127.0.0.1:${port}`,
    passed,
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

/** Requests that the service tells of though they never came by. */
export function unseen(
  told: readonly { method: string; path: string; body: string }[],
  passed: readonly Passed[],
): string[] {
  const left = passed.map(({ line, body }) => `${line} ${body}`);
  return told
    .map(({ method, path, body }) => `${method} ${path} ${body}`)
    .filter(one => {
      const index = left.indexOf(one);
      if (index >= 0) left.splice(index, 1);
      return index < 0;
    });
}

const BOOKS = /^POST .*\/(v[12]\/shipments|v2\/carriers\/create|webhooks\/subscriptions)$/;

/** Bookings that one command sent more than once, though the first time was not a 429. */
export function repeated(passed: readonly Passed[]): string[] {
  const bookings = passed.filter(({ line, status }) => BOOKS.test(line) && status !== 429);
  const seen = bookings.map(({ line, body }) => `${line} ${body}`);
  return seen.filter((one, index) => seen.indexOf(one) < index);
}
