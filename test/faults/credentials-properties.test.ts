// What holds for any command line of a token command, and for any number of calls that want a token at once.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTokens, renewable } from '../../src/http/credentials.ts';
import { commandLine, commandWords } from '../../src/profile/command-words.ts';
import { tokenUrl } from '../../src/profile/target.ts';

const SHELL = fc.constantFrom(
  '$HOME',
  '`id`',
  ';',
  '*',
  "'",
  '"',
  '\\',
  '\n',
  ' ',
  '~',
  '|',
  '&',
  '\u{1F511}',
);
const word = fc.oneof(
  fc.string(),
  fc.array(SHELL).map(parts => parts.join('')),
);
const words = fc
  .tuple(fc.string({ minLength: 1 }), fc.array(word, { maxLength: 5 }))
  .map(([program, args]) => [program, ...args])
  .filter(all => !all.join('').includes('\0'));

test('words that are written down are read as they were, whatever a shell would make of them', () => {
  fc.assert(
    fc.property(words, given => {
      expect(commandWords(commandLine(given))).toEqual(given);
    }),
  );
});

test('any command line is either words, or refused as wrong usage', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(SHELL).map(parts => parts.join('')),
      ),
      given => {
        try {
          expect(commandWords(given)[0]).not.toBe('');
        } catch (error) {
          expect(error).toMatchObject({ code: 'usage', exitCode: 2 });
        }
      },
    ),
  );
});

test.each([
  ['pass show waybill', ['pass', 'show', 'waybill']],
  [' op  read\top://vault/x ', ['op', 'read', 'op://vault/x']],
  [`a 'b c' "d \\"e\\" \\$f" g\\ h ''`, ['a', 'b c', 'd "e" \\$f', 'g h', '']],
  [`a'b'"c"\\d`, ['abcd']],
  [
    'echo $HOME `id` ~/x *.txt; rm -rf / | tee > f',
    ['echo', '$HOME', '`id`', '~/x', '*.txt;', 'rm', '-rf', '/', '|', 'tee', '>', 'f'],
  ],
])('%s is split at blanks, and nothing else has a meaning', (given, expected) => {
  expect(commandWords(given)).toEqual(expected);
});

test('the address of tokens is on the host of the service, whatever is given for it', () => {
  const base = new URL('https://api.example.com/v2');
  const part = fc.constantFrom(
    '/',
    '//',
    '\\',
    '..',
    '@',
    ':',
    'evil.example',
    'https:',
    'token',
    '?',
    '#',
    '\t',
    '%2f',
  );
  const given = fc.oneof(
    fc.string(),
    fc.webUrl(),
    fc.array(part).map(parts => parts.join('')),
  );
  fc.assert(
    fc.property(given, url => {
      try {
        expect(tokenUrl(url, base)).toMatchObject({
          origin: base.origin,
          username: '',
          search: '',
          hash: '',
        });
      } catch (error) {
        expect(error).toMatchObject({ code: 'usage' });
      }
    }),
    { numRuns: 500 },
  );
});

test('however many calls are refused in whatever order, each token is fetched once, and none is used again', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 40 }), fc.scheduler(), async (calls, scheduler) => {
      let fetched = 0;
      const fetch = scheduler.scheduleFunction(async () => {
        fetched += 1;
        return { token: `token-${fetched}` };
      });
      const tokens = createTokens({ fetch }, () => 0);
      const answer = scheduler.scheduleFunction(async (token: unknown) => (token === 'token-1' ? 401 : 200));
      const call = async () => {
        const credentials = renewable('here', tokens, token => ({ token }));
        const first = await answer((await credentials.headers()).token);
        if (first === 200) return first;
        credentials.renew?.();
        return answer((await credentials.headers()).token);
      };
      const all = Promise.all(Array.from({ length: calls }, call));
      await scheduler.waitFor(all);
      expect(await all).toEqual(Array.from({ length: calls }, () => 200));
      expect(fetched).toBe(2);
    }),
  );
});

test('a fetch that fails is told to all who wait for it, and the next one tries again', async () => {
  let fetched = 0;
  const fetch = async () => {
    fetched += 1;
    if (fetched === 1) throw new Error('no token');
    return { token: 'token' };
  };
  const tokens = createTokens({ fetch }, () => 0);
  const ends = await Promise.allSettled([tokens.current(), tokens.current(), tokens.current()]);
  expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect([await tokens.current(), fetched]).toEqual(['token', 2]);
});
