import { expect, test } from 'vitest';
import { hasReached } from '../../src/views/shipment.ts';

const DELIVERED = 'TESL\u0130M ED\u0130LD\u0130';

test.each([DELIVERED, DELIVERED.normalize('NFD'), 'teslim edildi', 'Teslim Edildi'])(
  'a shipment with the milestone %j has reached it, however it is written',
  milestone => {
    const shipment = { status: [{ status: 'done', milestone }] };
    for (const wanted of [DELIVERED, DELIVERED.normalize('NFD'), 'teslim edildi'])
      expect(hasReached(shipment, wanted)).toBe(true);
    expect(hasReached(shipment, 'teslim')).toBe(false);
  },
);

test('a status or an event without words has reached nothing', () => {
  expect(hasReached({ status: [{}, null, { milestone: 7 }], tracking: { events: [{}] } }, '')).toBe(false);
});
