// A client over real HTTP whose waits take no time and are told.
import { type Client, type ClientSettings, createClient } from '../../src/http/client.ts';
import { type Raw, type Reply, rawServer, type Wire, wire } from './raw.ts';

export const NOW = Date.parse('2026-03-02T09:00:00Z');

export interface Rigged extends Wire {
  client: Client;
  server: Raw;
  /** Milliseconds, one for each wait. */
  waits: number[];
  /** What `--verbose` would show. */
  trace: string[];
  interrupt(signal: 'SIGINT' | 'SIGTERM'): void;
  /** The client's host, for what takes one. */
  host: Parameters<typeof createClient>[2];
}

export async function rigClient(
  reply: Reply,
  settings: Partial<ClientSettings> & { path?: string; onSleep?(rig: Rigged): void } = {},
): Promise<Rigged> {
  const server = await rawServer(reply);
  const made = wire();
  const waits: number[] = [];
  const trace: string[] = [];
  const interruption = new AbortController();
  const host = {
    now: () => NOW,
    async sleep(ms: number, signal?: AbortSignal) {
      signal?.throwIfAborted();
      waits.push(ms);
      settings.onSleep?.(rig);
      signal?.throwIfAborted();
    },
    random: () => 1,
    interrupted: interruption.signal,
  };
  const { path = '', onSleep: _, ...given } = settings;
  const client = createClient(
    made.transport,
    {
      base: new URL(path, server.url),
      timeout: { read: 30_000, booking: 180_000 },
      retries: 3,
      agent: 'waybill/test',
      trace: lines => void trace.push(lines),
      ...given,
    },
    host,
  );
  const rig: Rigged = {
    ...made,
    client,
    server,
    waits,
    trace,
    host,
    interrupt: signal => interruption.abort(signal),
  };
  return rig;
}
