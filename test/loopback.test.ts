import { expect, test } from 'vitest';
import { isLoopback } from '../src/text.ts';

test('only a host name of this machine is loopback', () => {
  expect(['localhost', 'LOCALHOST', '::1', '[::1]', '127.0.0.1', '127.1.2.3'].every(isLoopback)).toBe(true);
  expect(
    [
      '',
      'notlocalhost',
      'a.localhost',
      'localhost.com',
      '128.0.0.1',
      '127.0.0',
      '1127.0.0.1',
      '127.0.0.1.a',
      '::',
      '::2',
    ].some(isLoopback),
  ).toBe(false);
});
