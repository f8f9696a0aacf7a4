// What a person is told of a search that first prepares the journal.
import { expect, test } from 'vitest';
import { indexing } from '../../src/orders/indexing.ts';
import type { Session } from '../../src/session/session.ts';

function searching() {
  const told: string[] = [];
  const stop = new AbortController();
  let now = 0;
  const tell = async (text: string) => void told.push(text);
  const printer = { note: tell, progress: tell } as Pick<Session['printer'], 'note' | 'progress'>;
  const host = { interrupted: stop.signal, monotonic: () => now };
  const session = { host, printer } as unknown as Pick<Session, 'host' | 'printer'>;
  const waits = (ms: number) => {
    now += ms;
  };
  return { step: indexing(session), told, stop, waits };
}

test('It is told once, and how much is done, if it takes more than a second', () => {
  const { step, told, waits } = searching();
  step(500, 2000);
  expect(told).toEqual([]);
  waits(1000);
  for (const done of [1000, 1500, 2000]) step(done, 2000);
  expect(told).toEqual([
    'preparing the journal for searches, 2000 bookings: only the first search does this',
    ...['prepared 1000 of 2000', 'prepared 1500 of 2000', ''],
  ]);
});

test('Ctrl-C ends it, and says that nothing of it is lost', () => {
  const { step, stop } = searching();
  stop.abort('SIGINT');
  expect(() => step(1, 2)).toThrow('the next search continues to prepare the journal');
});
