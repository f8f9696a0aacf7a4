// A list may have a million rows: what an answer says is read once for each.
import { expect, test } from 'vitest';
import type { Order } from '../../src/journal/journal.ts';
import { PLAIN } from '../../src/output/look.ts';
import { csvRow, viewOf } from '../../src/views/order-list.ts';
import { createRig } from '../rig/command.ts';
import { bookingAt } from '../rig/journal.ts';

test('a row parses the answer of its booking once, as CSV and as a table of all columns', async () => {
  const booking = bookingAt(await createRig(), 1);
  let reads = 0;
  const order: Order = {
    booking: Object.defineProperty({ ...booking }, 'answer', {
      get() {
        reads += 1;
        return booking.answer;
      },
    }),
    labels: [],
  };
  expect(csvRow(order)).toContain('EXP,12.4,EUR');
  expect(reads).toBe(1);
  const text = await viewOf(0).table([order], PLAIN);
  expect(text).toMatch(/EXP +12\.40 EUR/);
  expect(reads).toBe(2);
});
