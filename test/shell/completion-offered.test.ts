// What is offered for a line as it is typed: commands, options, and values of the contract, the config and the environment.
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { commandTree } from '../../src/shell/program.ts';
import { allCommands } from '../documents/commands.ts';
import { createRig } from '../rig/command.ts';
import { BARE } from '../rig/profile.ts';
import { offered } from '../rig/service.ts';

const PARTY = { firstName: 'Ada', lastName: 'Byron', address: { city: 'London', country: { code: 'GB' } } };
const OFFICE = { ...PARTY, lastName: 'Yılmaz', companyName: 'Örnek Tekstil' };
const CONFIG = {
  current: 'live',
  profiles: {
    live: {
      baseUrl: 'https://api.example',
      parties: { home: PARTY, 'back office': OFFICE },
      parcels: { small: '1kg@10x10x10cm' },
    },
    'b b': { parties: { other: PARTY } },
  },
};
const withConfig = () =>
  createRig({ env: { ...BARE, MY_KEY: 'secret' }, files: { 'config/config.json': CONFIG } });

const EVENTS = ['shipment.milestone.updated'];
const TERMS = ['deliveryType=DAP', 'deliveryType=DDP'];
const PARTY_COMMANDS = ['add', 'edit', 'import', 'list', 'show', 'remove', 'help'];
const OFFERED: Record<string, string[]> = {
  // Commands, also after options; topics after help.
  sh: ['ship', 'ship-dual'],
  '--profile ship --json tr': ['track'],
  'profile party ': PARTY_COMMANDS,
  'help webhook c': ['create'],
  'webhook help c': ['create'],
  'help e': ['emulator', 'exit-codes', 'environment'],
  'help webhook e': [],
  'nonsense shi': [],
  // Options: those that were given are not offered again, nor those that contradict them.
  'nonsense --pro': ['--profile'],
  'track --max': ['--max-wait'],
  'batch ship --concu': ['--concurrency'],
  'ship --carrier=EXP --carr': [],
  'quote --sandbox --no-s': [],
  'quote --fastest --cheap': [],
  'emulator -- --po': [],
  // Enumerations.
  'ship --output js': ['json', 'jsonl'],
  'ship --output=js': ['--output=json', '--output=jsonl'],
  'ship -ojs': ['-ojson', '-ojsonl'],
  '-qo c': ['csv'],
  'ship --category mi': ['micro export'],
  'quote --type ': ['package', 'document'],
  'history list --state un': ['unknown'],
  'history import r.jsonl --done ': ['printed', 'handover', 'export', 'none'],
  'history import r.jsonl --done printed,': ['printed,handover', 'printed,export'],
  'history list --operation ship': ['ship', 'ship-dual'],
  'webhook create --event shipment.m': EVENTS,
  'completion ': ['bash', 'zsh', 'fish', 'powershell'],
  'schema ra': ['rates'],
  'schema res': ['results'],
  'batch template q': ['quote'],
  'emulator --fault reset-': ['reset-before:', 'reset-after:'],
  'track --until del': ['delivered'],
  'ship --currency eu': ['EUR'],
  'profile set x deliveryType=': TERMS,
  'profile set x sandb': ['sandboxBaseUrl=', 'sandbox='],
  'ship --carrier ': ['cheapest', 'fastest', 'ECO'],
  '--profile demo ship --carrier ': ['cheapest', 'fastest', 'ECO', 'EXP', 'DOM'],
  // Countries by name and code; more of them are in test/contract/countries.test.ts.
  'quote --to de': ['DE'],
  'quote --to=germ': ['--to=DE'],
  'history list --country Alman': ['DE'],
  'ship --set receiver.address.country.code=germ': ['receiver.address.country.code=DE'],
  // Fields by path, and those of an item one after the other.
  'ship --set receiver.address.ci': ['receiver.address.city='],
  'ship --set deliveryType=': TERMS,
  'ship --set=items[2].hs': ['--set=items[2].hsCode='],
  'batch ship --set customs.curr': ['customs.currency='],
  'quote --set receiver': [],
  'ship --item hs': ['hsCode='],
  'ship --item description=T,hsCode=610910,hs': [],
  'ship --item countryOfOrigin=türki': ['countryOfOrigin=TR'],
  // What profiles have saved.
  '--profile ': ['live', 'b b', 'demo'],
  'profile use l': ['live'],
  'profile set ': ['live', 'b b', 'demo'],
  'profile remove b': ['b b'],
  'ship --sender @': ['@home', '@back office'],
  'ship --receiver=@h': ['--receiver=@home'],
  // Else by a word of what is in the party.
  'ship --receiver @tekst': ['@back office'],
  'ship --receiver @yilm': ['@back office'],
  'ship --receiver @zzz': [],
  'profile party edit byr': ['home'],
  'ship --sender ./': [],
  'profile party show ba': ['back office'],
  'profile set live sender=@h': ['sender=@home'],
  'quote --package @': ['@small'],
  'quote --package 3x@s': ['3x@small'],
  'profile parcel remove ': ['small'],
  '--profile none ship --sender @': [],
  'profile add x --header X-Key=@env:MY': ['X-Key=@env:MY_KEY'],
  'ship --key ': [],
  'history show b': [],
};

test('each beginning of a word has its candidates, and nothing is created on the disk', async () => {
  const rig = await withConfig();
  const found: Record<string, string[]> = {};
  for (const line of Object.keys(OFFERED)) found[line] = (await offered(rig, line.split(' '))).values;
  expect(found).toEqual(OFFERED);
  expect((await offered(rig, ['--profile', 'b b', 'ship', '--sender', '@'])).values).toEqual(['@other']);
  expect(readdirSync(rig.folder)).toEqual(['config']);
});

test('of an option with choices all are offered, and any other word is exit 2', async () => {
  const rig = await withConfig();
  const program = await commandTree();
  let seen = 0;
  for (const path of await allCommands(program)) {
    const command = path.reduce(
      (group, name) => group.commands.find(one => one.name() === name) ?? group,
      program,
    );
    for (const { long, argChoices } of command.options) {
      if (!long || !argChoices) continue;
      seen += 1;
      const typed = [...path, long];
      expect((await offered(rig, [...typed, ''])).values, typed.join(' ')).toEqual(argChoices);
      const wrong = await rig.run([...typed, 'nonsense']);
      expect(wrong, typed.join(' ')).toMatchObject({ exitCode: 2, stdout: '', requests: [] });
      expect(wrong.stderr.replace(/\s+/g, ' ')).toContain(argChoices.join(', '));
    }
  }
  expect(seen).toBeGreaterThan(5);
});

test.each<[line: string, among: string[], not: string[]]>([
  ['', ['quote', 'ship', 'batch', 'completion', 'help'], ['__complete']],
  ['-', ['--output'], []],
  ['ship ', ['--carrier'], []],
  ['ship --', ['--carrier', '--max-price', '--set', '--profile', '--help'], []],
  [
    'ship --carrier EXP --json -y --package 1@1x1x1 --',
    ['--package'],
    ['--carrier', '--json', '--no-json', '--yes'],
  ],
  ['quote --to=T', ['--to=TR'], ['--to=DE']],
  ['profile add x --header X-Key=', ['X-Key=@env:'], []],
])('among what is offered for %j are %j, and not %j', async (line, among, not) => {
  const { values } = await offered(await withConfig(), line.split(' '));
  expect(values).toEqual(expect.arrayContaining(among));
  for (const one of not) expect(values).not.toContain(one);
  expect(new Set(values).size).toBe(values.length);
});

test.each([
  ['', 'quote', 'compare proposals for a parcel'],
  ['ship --', '--profile', 'which profile'],
  ['quote --to ', 'DE', 'Germany'],
  ['ship --set receiver.', 'receiver.address.city=', 'City'],
  ['ship --sender ', '@home', 'Ada Byron (London, GB)'],
])('`waybill %s` says of %s: %s', async (line, value, says) => {
  const { description } = await offered(await withConfig(), line.split(' '));
  expect(description[value]).toContain(says);
});

test.each([
  ['ship --file or', 'files', ''],
  ['ship --file=or', 'files', '--file='],
  ['batch ship ', 'files', ''],
  ['ship --label --download ', 'folders', ''],
  ['profile add x --header X-Key=@pa', 'files', 'X-Key=@'],
  ['emulator -- -', 'files', ''],
])('`waybill %s` is left to the shell: %s behind %j', async (line, what, head) => {
  const { how, values } = await offered(await withConfig(), line.split(' '));
  expect([how[0], how.at(-1), values]).toEqual([what, head, []]);
});

test('a damaged config gives no candidates, and invalid arguments get an empty answer', async () => {
  const rig = await createRig({ files: { 'config/config.json': '{' } });
  expect((await offered(rig, ['--profile', ''])).values).toEqual([]);
  for (const args of [[], ['nonsense'], ['constructor', 'x'], ['powershell', '%'], ['bash']]) {
    const { exitCode, stdout, stderr } = await rig.run(['__complete', ...args]);
    expect([args, exitCode, stderr]).toEqual([args, 0, '']);
    expect(stdout.split('\n').length).toBeLessThan(30);
  }
});
