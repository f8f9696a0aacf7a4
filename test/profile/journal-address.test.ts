import { describe, expect, test } from 'vitest';
import type { Profile } from '../../src/profile/store.ts';
import {
  isOnThisMachine,
  parseJournalAddress,
  sharedJournal,
  shownAddress,
} from '../../src/profile/target.ts';

const SECRET = 'hunter2';
const parse = (given: string) => parseJournalAddress(given, 'WAYBILL_JOURNAL');

test.each([
  ['postgres://waybill@db.example.com/waybill', 'postgres://db.example.com/waybill', false],
  ['postgresql://db.example.com:6432/waybill', 'postgres://db.example.com:6432/waybill', false],
  [`postgres://waybill:${SECRET}@db.example.com/waybill`, 'postgres://db.example.com/waybill', false],
  [
    'postgres://db.example.com/w?sslmode=verify-full&sslrootcert=/ca.pem',
    'postgres://db.example.com/w',
    false,
  ],
  ['postgres://db.example.com/w?options=-csearch_path%3Dshop', 'postgres://db.example.com/w', false],
  ['postgres://localhost.example.com/waybill', 'postgres://localhost.example.com/waybill', false],
  ['postgres://127.0.0.1:5433/waybill', 'postgres://127.0.0.1:5433/waybill', true],
  ['postgres://[::1]/waybill', 'postgres://[::1]/waybill', true],
  ['postgres:///waybill', 'postgres:///waybill', true],
  ['postgres:///waybill?host=/run/postgresql', 'postgres:///run/postgresql/waybill', true],
  ['postgres://db.example.com/waybill?host=/run/postgresql', 'postgres:///run/postgresql/waybill', true],
  ['postgres://waybill@/waybill?host=/run/postgresql', 'postgres:///run/postgresql/waybill', true],
  ['postgres://waybill@/waybill', 'postgres://localhost/waybill', true],
  [
    'postgres:///db?host=/var/run/postgresql&port=5433&connect_timeout=5',
    'postgres:///var/run/postgresql:5433/db',
    true,
  ],
  ['postgres://db.example.com/w?connect_timeout=600', 'postgres://db.example.com/w', false],
])('%s is shown as %s', (given, shown, isHere) => {
  const url = parse(given);
  expect([shownAddress(url), isOnThisMachine(url)]).toEqual([shown, isHere]);
});

test.each([
  ['postgres://db.example.com:port/waybill', /is no address such as postgres:/],
  ['postgres://db.example.com/waybill?sslmode=disable', /cannot have sslmode=disable: .* always verified/],
  [
    'postgres://db.example.com/waybill?ssl=false',
    /has the unknown parameter "ssl"; known are sslmode, sslrootcert/,
  ],
  ['postgres://db.example.com/waybill?host=elsewhere.example.com', /takes only a folder as host=/],
  ['postgres://db.example.com/waybill?host=', /takes only a folder as host=/],
  ['postgres://db.example.com/waybill?port=5433', /has port=5433: beside host= it is 1 to 65535/],
  ['postgres:///waybill?host=/run/postgresql&port=65536', /has port=65536: .* 1 to 65535/],
  ...['', '0', '-1', '1.5', '5s', '601', '99999'].map((seconds): [string, RegExp] => [
    `postgres://db.example.com/waybill?connect_timeout=${seconds}`,
    /has connect_timeout=.*: it is whole seconds, 1 to 600/,
  ]),
  ['postgres://db.example.com/waybill#shop', /cannot be parsed: .* are %2F/],
])('%s is refused', (given, message) => {
  expect(() => parse(given)).toThrow(
    expect.objectContaining({ code: 'usage', message: expect.stringMatching(message) }),
  );
  expect(() => parse(given)).toThrow(/^WAYBILL_JOURNAL /);
});

describe('A password', () => {
  test.each([
    `1/${SECRET}`,
    `1?a=${SECRET}`,
    `a/${SECRET}`,
    `a?${SECRET}`,
    `a#${SECRET}`,
    `%${SECRET}`,
    `${SECRET}%`,
    `a@${SECRET}@`,
  ])('with characters that an address must escape, such as %s, is never shown', password => {
    let told = '';
    try {
      told = shownAddress(parse(`postgres://waybill:${password}@db.example.com/waybill`));
    } catch (error) {
      expect(error).toMatchObject({ code: 'usage' });
      told = (error as Error).message;
    }
    expect(told).not.toContain(SECRET);
  });
});

test('The journal of the environment is first, and gets no password of the profile', () => {
  const profile = {
    journal: 'postgres://other.example.com/x',
    journalPasswordCommand: ['pass', 'show', 'journal'],
  };
  const address = 'postgres://db.example.com/waybill';
  expect(sharedJournal({ WAYBILL_JOURNAL: address }, profile)).toEqual({
    url: new URL(address),
    isLossless: false,
  });
});

describe('That its failovers lose nothing', () => {
  const journal = 'postgres://db.example.com/waybill';
  const isLossless = (env: Record<string, string>, profile: Profile) =>
    sharedJournal(env, profile)?.isLossless;
  const vouched = { journal, journalFailover: 'lossless' };

  test('is vouched for by the profile for its own journal, and by the environment for any', () => {
    expect(isLossless({}, { journal })).toBe(false);
    expect(isLossless({}, vouched)).toBe(true);
    expect(() => isLossless({}, { journal, journalFailover: 'none' })).toThrow('lossless');
    expect(isLossless({ WAYBILL_JOURNAL: 'postgres://other.example.com/x' }, vouched)).toBe(false);
    const env = { WAYBILL_JOURNAL_FAILOVER: 'lossless' };
    expect(isLossless(env, { journal })).toBe(true);
    expect(isLossless({ ...env, WAYBILL_JOURNAL: 'postgres://other.example.com/x' }, {})).toBe(true);
  });
});
