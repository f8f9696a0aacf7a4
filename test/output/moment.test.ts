import { expect, test, vi } from 'vitest';
import { minuteOf, shortMoment } from '../../src/output/moment.ts';

test('A list to pick from has the times of the tables: those of this machine', () => {
  vi.stubEnv('TZ', 'Europe/Istanbul');
  const at = Date.UTC(2026, 10, 22, 21, 14);
  expect([minuteOf(at), shortMoment(at, at)]).toEqual(['2026-11-23 00:14', '23 Nov 00:14']);
  vi.unstubAllEnvs();
});
