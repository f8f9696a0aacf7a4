// What every message and every line of progress looks like. What commands say is tested beside them.
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { Failure } from '../../src/errors.ts';
import { createDiagnostics, type DiagnosticSettings } from '../../src/output/diagnostics.ts';
import { recorded, type Setting } from './streams.ts';

function diagnostics(settings: Partial<DiagnosticSettings> = {}, setting: Setting = {}) {
  const streams = recorded(setting);
  return {
    ...streams,
    tell: createDiagnostics(streams.host, { json: false, quiet: false, strict: false, ...settings }),
  };
}

test('lines for a terminal break at spaces, and never inside a command', async () => {
  const { tell, stderr } = diagnostics({}, { terminal: 30 });
  await tell.note('nothing was sent: run `waybill history list` to see what is there');
  await tell.warn('重い荷物は二人で運びます 重い荷物は二人で運びます');
  await tell.note('> POST /shipments HTTP/1.1 as it was sent\n> {"a":  1}');
  await tell.failure(
    new Failure('usage', 'https://example.com/a/very/long/address is not known here', {
      issues: [{ path: 'receiver.address.city', message: 'is required here' }],
    }),
  );
  expect(stripVTControlCharacters(stderr())).toBe(
    [
      'nothing was sent: run',
      '`waybill history list` to see',
      'what is there',
      'warning:',
      '重い荷物は二人で運びます',
      '重い荷物は二人で運びます',
      '> POST /shipments HTTP/1.1 as it was sent\n> {"a":  1}',
      'error:',
      'https://example.com/a/very/long/address',
      'is not known here',
      '  receiver.address.city  is',
      '  required here',
      '',
    ].join('\n'),
  );
});

test('lines appear in the order of the calls, even if the caller does not wait', async () => {
  const { tell, stderr } = diagnostics();
  await Promise.all([tell.warn('1'), tell.note('2'), tell.warn('3')]);
  expect(stderr()).toBe('warning: 1\n2\nwarning: 3\n');
});

test('progress is one line, cut to the width of the terminal, and removed before any other output', async () => {
  const { tell, stderr } = diagnostics({}, { terminal: 6 });
  await tell.progress('1 of 3 done');
  await tell.progress('2');
  await tell.note('x');
  await tell.progress('3');
  await tell.progress('');
  await tell.progress('');
  const erase = '\r\x1b[2K';
  expect(stderr()).toBe(`1 of ${erase}2${erase}x\n3${erase}`);
});

test.each<[string, Partial<DiagnosticSettings>, Setting]>([
  ['a pipe', {}, {}],
  ['a dumb terminal', {}, { terminal: 80, env: { TERM: 'dumb' } }],
  ['JSON', { json: true }, { terminal: 80 }],
])('there is no progress line on %s', async (_, settings, setting) => {
  const { tell, stderr } = diagnostics(settings, setting);
  await tell.progress('1 of 3');
  expect(stderr()).toBe('');
});
