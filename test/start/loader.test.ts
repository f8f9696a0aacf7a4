import { expect, onTestFinished, test, vi } from 'vitest';
import { createLoader, NO_CODE } from '../../src/start/loader.ts';

// The core has most chunks as functions; another file is a chunk of its own.
const FILES: Record<string, string> = {
  'core.cjs': `({
    'main.cjs'(exports, require) {
      exports.store = () => require('./store.cjs').driver;
      exports.same = require('./other.cjs') === require('./other.cjs');
    },
    'store.cjs'(exports, require) { exports.driver = require('the driver'); },
  })`,
  'other.cjs': 'exports.loaded = true;',
};

test('chunks are loaded once; one that failed is loaded again at the next attempt', () => {
  vi.stubGlobal('WAYBILL_DRIVER', 'the driver');
  onTestFinished(() => void vi.unstubAllGlobals());
  const driver = vi.fn();
  const parts = { text: (name: string) => FILES[name] ?? '', driver, font: () => Buffer.alloc(0) };
  const main = createLoader('core.cjs', '/nowhere', parts, NO_CODE).load('main.cjs') as {
    store(): unknown;
    same: boolean;
  };
  expect(main.same).toBe(true);
  driver.mockImplementationOnce(() => {
    throw new Error('the disk is full');
  });
  expect(() => main.store()).toThrow('the disk is full');
  driver.mockReturnValue('SQLite');
  expect(main.store()).toBe('SQLite');
  expect(main.store()).toBe('SQLite');
  expect(driver).toHaveBeenCalledTimes(2);
});
