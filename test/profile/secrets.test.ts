import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { headersOf, parseSource, readSecret } from '../../src/profile/secrets.ts';
import type { Source } from '../../src/profile/store.ts';
import { createHome, failureOf } from '../rig/profile.ts';

const token = (value: string, header = 'authorization', scheme = 'Bearer') =>
  headersOf({ stored: { kind: 'token', token: value }, header, scheme }, { env: {} });
const keys = (headers: Record<string, Source>, env: Record<string, string> = {}) =>
  headersOf({ stored: { kind: 'headers', headers }, header: 'authorization', scheme: 'Bearer' }, { env });
const stdin = (text: string | Uint8Array) => ({
  stdin: { isTerminal: false, read: async () => Buffer.from(text) },
});

test('a token is sent as Authorization: Bearer by default', () => {
  expect(token('abc')).toEqual({ authorization: 'Bearer abc' });
  expect(token('abc', 'X-Api-Key', '')).toEqual({ 'x-api-key': 'abc' });
  expect(token('abc', 'Authorization', 'Token')).toEqual({ authorization: 'Token abc' });
});

test('a token that begins with the word that is sent before it is refused', () => {
  for (const value of ['Bearer abc', 'bearer abc'])
    expect(() => token(value)).toThrow('the token begins with "Bearer ", which is sent before it anyway');
  expect(() => token('Token abc', 'Authorization', 'Token')).toThrow('give the token alone');
  expect(token('Bearer abc', 'authorization', '')).toEqual({ authorization: 'Bearer abc' });
  expect(token('Bearerabc')).toEqual({ authorization: 'Bearer Bearerabc' });
});

test('keys come from the environment, from a file or from the config', () => {
  const { folder } = createHome();
  const file = join(folder, 'key');
  writeFileSync(file, 'from-file\n');
  expect(
    keys({ 'X-A': { env: 'KEY' }, 'X-B': { file }, 'X-C': { value: 'kept' } }, { KEY: 'from-env' }),
  ).toEqual({
    'x-a': 'from-env',
    'x-b': 'from-file',
    'x-c': 'kept',
  });
});

test('a missing key is reported with its place', () => {
  const { folder } = createHome();
  const file = join(folder, 'key');
  const absent = 'the credential for the header X-A: ';
  expect(() => keys({ 'X-A': { env: 'KEY' } })).toThrow(`${absent}the environment variable KEY is not set`);
  expect(() => keys({ 'X-A': { env: 'KEY' } }, { KEY: '' })).toThrow('KEY is not set');
  expect(() => keys({ 'X-A': { file } })).toThrow(`${absent}ENOENT`);
  writeFileSync(file, '\n');
  expect(() => keys({ 'X-A': { file } })).toThrow(`${absent}the file ${file} is empty`);
});

test('a secret that no header can carry is refused and not shown', async () => {
  const unfit = fc.tuple(
    fc.string(),
    fc.constantFrom('\n', '\r', '\0', '\x7f', '\u{1F511}', 'ş'),
    fc.string(),
  );
  await fc.assert(
    fc.asyncProperty(unfit, async parts => {
      const failure = await failureOf(() => token(`s3cret${parts.join('')}`));
      expect(failure).toMatchObject({ code: 'unauthorized', exitCode: 3 });
      expect(String(failure)).not.toContain('s3cret');
    }),
  );
});

test('an invalid header name is refused before anything is sent', () => {
  expect(() => token('abc', 'x api key')).toThrow('"x api key" is not the name of a header');
  expect(() => keys({ 'a:b': { value: 'c' } })).toThrow('is not the name of a header');
});

test('a source is a variable, a file beside the working directory, or stdin', async () => {
  const host = { cwd: '/work', ...stdin('s3cret\n') };
  expect(await parseSource('X-Key=@env:KEY', host)).toEqual(['X-Key', { env: 'KEY' }]);
  expect(await parseSource('X-Key=@keys/a=b', host)).toEqual(['X-Key', { file: '/work/keys/a=b' }]);
  expect(await parseSource('X-Key=@/etc/key', host)).toEqual(['X-Key', { file: '/etc/key' }]);
  expect(await parseSource('X-Key=@-', host)).toEqual(['X-Key', { value: 's3cret' }]);
});

test.each(['X-Key=s3cret', 'X-Key: s3cret', 's3cret', 'X Key=@s3cret', '=@s3cret', 'X-Key=@', 'X-Key=@env:'])(
  'a secret on the command line is refused and not repeated (%#)',
  async spec => {
    const failure = await failureOf(() => parseSource(spec, { cwd: '/', ...stdin('') }));
    expect(failure).toMatchObject({ code: 'usage' });
    expect(String(failure)).not.toContain('s3cret');
  },
);

test('a secret from stdin loses only one line break at its end', async () => {
  expect(await readSecret(stdin('abc\n'))).toBe('abc');
  expect(await readSecret(stdin('abc\r\n'))).toBe('abc');
  expect(await readSecret(stdin(' a b '))).toBe(' a b ');
  for (const nothing of ['', '\n', '  \r\n'])
    expect(await failureOf(() => readSecret(stdin(nothing)))).toMatchObject({ code: 'usage' });
});
