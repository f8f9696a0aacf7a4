// Values from choices, contract, config and environment.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { createRig, type Rig } from '../rig/command.ts';
import { offered, offeredValues } from '../rig/service.ts';

let rig: Rig;
beforeEach(async () => {
  rig = await createRig();
});

describe('enumerations', () => {
  test.each([
    [
      ['ship', '--output', 'js'],
      ['json', 'jsonl'],
    ],
    [
      ['ship', '--output=js'],
      ['--output=json', '--output=jsonl'],
    ],
    [
      ['ship', '-ojs'],
      ['-ojson', '-ojsonl'],
    ],
    [['-qo', 'c'], ['csv']],
    [['ship', '--category', 'mi'], ['micro export']],
    [
      ['quote', '--sort', ''],
      ['price', 'speed', 'carrier'],
    ],
    [
      ['quote', '--type', ''],
      ['package', 'document'],
    ],
    [['history', 'list', '--state', 'un'], ['unknown']],
    [
      ['history', 'list', '--operation', 'ship'],
      ['ship', 'ship-dual'],
    ],
    [['webhook', 'create', '--event', 'shipment.m'], ['shipment.milestone.updated']],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish', 'powershell'],
    ],
    [['schema', 'ra'], ['rates']],
    [['schema', 'res'], ['results']],
    [['batch', 'template', 'q'], ['quote']],
    [
      ['emulator', '--fault', 'reset-'],
      ['reset-before:', 'reset-after:'],
    ],
    [['track', '--until', 'del'], ['delivered']],
    [['ship', '--currency', 'eu'], ['EUR']],
    [
      ['profile', 'set', 'x', 'deliveryType='],
      ['deliveryType=DAP', 'deliveryType=DDP'],
    ],
    [
      ['profile', 'set', 'x', 'sandb'],
      ['sandboxBaseUrl=', 'sandbox='],
    ],
  ])('%j: %j', async (words, expected) => {
    expect(await offeredValues(rig, ...words)).toEqual(expected);
  });
});

describe('countries', () => {
  test('are offered by code, with their names', async () => {
    const { values: codes, description } = await offered(rig, ['quote', '--to', '']);
    expect(codes.length).toBeGreaterThan(240);
    expect(description.DE).toBe('Germany');
    expect(await offeredValues(rig, 'quote', '--to', 'de')).toEqual(['DE']);
    expect(await offeredValues(rig, 'quote', '--to=T')).toContain('--to=TR');
  });

  test('are found by name', async () => {
    expect(await offeredValues(rig, 'quote', '--to', 'germ')).toEqual(['DE']);
    expect(await offeredValues(rig, 'rates', '--from', 'Holl')).toEqual(['NL']);
    expect(await offeredValues(rig, 'history', 'list', '--country', 'Alman')).toEqual(['DE']);
    expect(await offeredValues(rig, 'quote', '--to=germ')).toEqual(['--to=DE']);
    expect(await offeredValues(rig, 'ship', '--set', 'receiver.address.country.code=germ')).toEqual([
      'receiver.address.country.code=DE',
    ]);
  });
});

describe('fields', () => {
  test('are offered by path, and their values after the equals sign', async () => {
    const { values: paths, description, how } = await offered(rig, ['ship', '--set', 'receiver.address.ci']);
    expect(paths).toEqual(['receiver.address.city=']);
    expect(description['receiver.address.city=']).toBe('City');
    expect(how).toContain('nospace');
    expect(await offeredValues(rig, 'ship', '--set', 'deliveryType=')).toEqual([
      'deliveryType=DAP',
      'deliveryType=DDP',
    ]);
    expect(await offeredValues(rig, 'ship', '--set=items[2].hs')).toEqual(['--set=items[2].hsCode=']);
    expect(await offeredValues(rig, 'batch', 'ship', '--set', 'customs.curr')).toEqual(['customs.currency=']);
    expect(await offeredValues(rig, 'quote', '--set', 'receiver')).toEqual([]);
  });

  test('of an item are offered one after the other', async () => {
    expect(await offeredValues(rig, 'ship', '--item', 'hs')).toEqual(['hsCode=']);
    const next = await offeredValues(rig, 'ship', '--item', 'description=a T-shirt,hsCode=610910,');
    expect(next).toContain('description=a T-shirt,hsCode=610910,quantity=');
    expect(next).not.toContain('description=a T-shirt,hsCode=610910,hsCode=');
    expect(await offeredValues(rig, 'ship', '--item', 'countryOfOrigin=turk')).toContain(
      'countryOfOrigin=TR',
    );
  });
});

describe('what profiles have saved', () => {
  const PARTY = { firstName: 'Ada', lastName: 'Byron', address: { city: 'London', country: { code: 'GB' } } };
  beforeEach(() => {
    rig.file('config/config.json', {
      current: 'live',
      profiles: {
        live: {
          baseUrl: 'https://api.example',
          parties: { home: PARTY, 'back office': PARTY },
          parcels: { small: '1kg@10x10x10cm' },
        },
        'b b': { parties: { other: PARTY } },
      },
    });
  });
  const BARE = { WAYBILL_BASE_URL: '', WAYBILL_SANDBOX_BASE_URL: '', WAYBILL_TOKEN: '' };
  const kept = async (...words: string[]) => (await offered(rig, words, BARE)).values;

  test('profiles by name', async () => {
    expect(await kept('--profile', '')).toEqual(['live', 'b b', 'demo']);
    expect(await kept('profile', 'use', 'l')).toEqual(['live']);
    expect(await kept('profile', 'set', '')).toEqual(['live', 'b b', 'demo']);
    expect(await kept('profile', 'remove', 'b')).toEqual(['b b']);
  });

  test('parties by @name, of the profile on the line, or files', async () => {
    const { values: parties, description, how } = await offered(rig, ['ship', '--sender', ''], BARE);
    expect(parties).toEqual(['@home', '@back office']);
    expect(description['@home']).toBe('Byron, London, GB');
    expect(how[0]).toBe('files');
    expect(await kept('ship', '--receiver=@h')).toEqual(['--receiver=@home']);
    expect(await kept('--profile', 'b b', 'ship', '--sender', '@')).toEqual(['@other']);
    expect(await kept('ship', '--sender', './')).toEqual([]);
    expect(await kept('profile', 'party', 'show', 'ba')).toEqual(['back office']);
    expect(await kept('profile', 'set', 'live', 'sender=@h')).toEqual(['sender=@home']);
  });

  test('parcels by @name, several too', async () => {
    expect(await kept('quote', '--package', '@')).toEqual(['@small']);
    expect(await kept('quote', '--package', '3x@s')).toEqual(['3x@small']);
    expect(await kept('profile', 'parcel', 'remove', '')).toEqual(['small']);
  });

  test('a missing profile or a damaged config gives no candidates', async () => {
    expect(await kept('--profile', 'none', 'ship', '--sender', '@')).toEqual([]);
    rig.file('config/config.json', '{');
    expect(await kept('--profile', '')).toEqual([]);
  });
});

describe('files', () => {
  test.each([
    [
      ['ship', '--file', 'or'],
      ['files', ''],
    ],
    [
      ['ship', '--file=or'],
      ['files', '--file='],
    ],
    [
      ['batch', 'ship', ''],
      ['files', ''],
    ],
    [
      ['ship', '--label', '--download', ''],
      ['folders', ''],
    ],
    [
      ['profile', 'add', 'x', '--header', 'X-Key=@pa'],
      ['files', 'X-Key=@'],
    ],
  ])('%j are left to the shell: %j', async (words, [what = '', head = '']) => {
    const { how, values: none } = await offered(rig, words);
    expect([how[0], how.at(-1), none]).toEqual([what, head, []]);
  });

  test('and a header of a profile may come from the environment', async () => {
    expect(await offeredValues(rig, 'profile', 'add', 'x', '--header', 'X-Key=')).toContain('X-Key=@env:');
    const { values: names } = await offered(rig, ['profile', 'add', 'x', '--header', 'X-Key=@env:MY'], {
      MY_KEY: 'secret',
    });
    expect(names).toEqual(['X-Key=@env:MY_KEY']);
  });
});

test('nothing is created on the disk', async () => {
  for (const words of [
    ['ship', '--key', ''],
    ['--profile', ''],
    ['history', 'show', ''],
    ['ship', '--carrier', ''],
  ])
    await offeredValues(rig, ...words);
  expect(existsSync(join(rig.folder, 'state'))).toBe(false);
  expect(readdirSync(rig.folder)).toEqual([]);
});
