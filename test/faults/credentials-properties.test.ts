// Properties of any token command, and of any number of calls that need a token at the same time.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTokens, renewable } from '../../src/http/credentials.ts';
import { commandLine, commandWords } from '../../src/profile/command-words.ts';
import { tokenUrl } from '../../src/profile/target.ts';
import { runs } from '../torture/size.ts';

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

test('words with shell syntax are parsed to the same words', () => {
  fc.assert(
    fc.property(words, given => {
      expect(commandWords(commandLine(given))).toEqual(given);
    }),
  );
});

test('any token command is parsed to words or refused as wrong usage', () => {
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

test('any accepted --token-url is on the host of the service, or a whole https URL', () => {
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
        const accepted = tokenUrl(url, base);
        expect(accepted).toMatchObject({ protocol: 'https:', username: '', search: '', hash: '' });
        // A path never leaves the host, whatever is in it.
        if (!/^https:/i.test(url)) expect(accepted.origin).toBe(base.origin);
      } catch (error) {
        expect(error).toMatchObject({ code: 'usage' });
      }
    }),
    runs(500),
  );
});

test('any number of refused calls in any order fetches each token once, and uses no refused token again', async () => {
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
        expect(await credentials.renew?.()).toBe(true);
        return answer((await credentials.headers()).token);
      };
      const all = Promise.all(Array.from({ length: calls }, call));
      await scheduler.waitFor(all);
      expect(await all).toEqual(Array.from({ length: calls }, () => 200));
      expect(fetched).toBe(2);
    }),
  );
});

test('a failed fetch fails for all waiting calls, and the next call tries again', async () => {
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
