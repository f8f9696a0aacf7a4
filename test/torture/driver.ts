// A program that books many keys, one after the other, through the one door for bookings: what a process of a batch
// does, without the rest of the command. Shows a line for each as soon as it is known.
import { type Booked, book, recorded } from '../../src/booking/book.ts';
import { openLocalJournal } from '../../src/commands/local-journal.ts';
import { OPERATIONS } from '../../src/contract/operations.ts';
import { processHost } from '../../src/host.ts';
import { createClient } from '../../src/http/client.ts';
import { createTransport } from '../../src/http/transport.ts';

/** A line: the key, and the shipment's id or the state that it is in instead. */
export type Line = [key: string, became: string];

const operation = OPERATIONS.createShipment;

async function drive(keys: readonly string[]): Promise<void> {
  const real = processHost();
  // Whoever waits for another process looks again at once: the race is to be dense.
  const host = { ...real, sleep: (_: number, signal?: AbortSignal) => real.sleep(1, signal) };
  const base = new URL(host.env.WAYBILL_BASE_URL ?? '');
  const transport = createTransport(host);
  const settings = { base, timeout: { read: 30_000, booking: 30_000 }, retries: 0, agent: 'driver' };
  const client = createClient(transport, settings, host);
  const journal = await openLocalJournal(host, { mayBeNew: true });
  for (const key of keys) {
    const intent = {
      scope: { address: base.href, account: '' },
      operation: operation.command,
      keySpace: 'shipment',
      key,
      fingerprint: key,
      source: null,
      request: { receiver: { firstName: key } },
      profile: null,
      sandbox: false,
      labels: [],
      allowDuplicate: false,
      lease: 60_000,
    };
    const result = await book({ operation, intent }, journal, client, host);
    const { outcome }: Booked = 'kind' in result ? recorded(operation, result.booking) : result;
    const line: Line = [key, outcome.ids.shipment ?? outcome.state];
    await host.stdout.write(`${JSON.stringify(line)}\n`);
  }
  await journal.close();
  await transport.close();
}

drive(process.argv.slice(2));
