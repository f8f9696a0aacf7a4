import { PARTIES } from '../../contract/parties.ts';
import { SETTINGS } from '../../profile/settings.ts';
import type { Row } from '../document.ts';
import type { Page, Pages } from '../page.ts';

const TOKEN = 'echo your-token > token.txt';
const add = (name: string) =>
  `waybill profile add ${name} --base-url https://api.example.com --token-stdin < token.txt`;
const PARTY = [
  'waybill schema ship --example --query sender > sender.json',
  'waybill profile party add warehouse -f sender.json',
];
const PARCEL = 'waybill profile parcel add small 1.5kg@30x20x10cm';

const SILENT: Page['output'] = { table: 'nothing; a note on stderr says what was done' };
const PROFILE_JSON = 'the settings by their names; secrets are masked';

const group = (description: string, ...examples: string[]): Page => ({ description, examples });

const KEYS: Row[] = [
  ...Object.entries(SETTINGS).map(([name, { description }]): Row => [name, description]),
  [PARTIES.join(', '), 'a JSON file, or @name of a saved party'],
];

export const PAGES: Pages = {
  profile: group(
    'Keep addresses, credentials and defaults by name.',
    '# Save your service, and see what a command would use.',
    TOKEN,
    add('shop'),
    'waybill profile whoami --profile shop',
  ),
  'profile add': {
    description: 'Save a new profile; the first one becomes the current one.',
    examples: [
      '# A secret comes from stdin, a file, a variable or a program, never from the command line.',
      TOKEN,
      add('outlet'),
    ],
    output: SILENT,
    asks: ['getShipment'],
    exits: { unauthorized: 'the service refused the credentials when the form tried them' },
  },
  'profile list': {
    description: 'List every profile; * marks the current one.',
    examples: ['# The profiles; demo is always there.', 'waybill profile list'],
    output: {
      table: 'a profile a line',
      quiet: 'their names',
      json: 'a list of name, current, baseUrl, sandboxBaseUrl, account, credentials',
    },
  },
  'profile show': {
    description: 'Show a profile, its secrets masked.',
    examples: ['# Save a profile, and show it.', TOKEN, add('wholesale'), 'waybill profile show wholesale'],
    output: { table: 'a setting a line', quiet: 'the JSON in one line', json: PROFILE_JSON },
  },
  'profile set': {
    description: 'Change settings of a profile.',
    examples: [
      '# Defaults for each request, and the economy carrier.',
      'waybill profile set demo currency=EUR type=package category=sales',
      '# An empty value takes a setting away.',
      'waybill profile set demo category=',
    ],
    output: SILENT,
    more: [{ title: 'Keys', blocks: [{ rows: KEYS }] }],
  },
  'profile use': {
    description: 'Make a profile the current one.',
    examples: [
      '# Work with the built-in emulator unless another profile is named.',
      'waybill profile use demo',
    ],
    output: SILENT,
  },
  'profile remove': {
    description: 'Forget a profile, its credentials too; the journal keeps its bookings.',
    examples: ['# Save a profile, and forget it.', TOKEN, add('former'), 'waybill profile remove former'],
    output: SILENT,
  },
  'profile test': {
    description: 'See whether address and credentials work, by reading a shipment that is not there.',
    examples: [
      '# Try the current profile, or the one of that name.',
      'waybill profile test',
      'waybill profile test demo',
    ],
    output: { table: 'that it works, and how long it took', quiet: 'ok', json: 'ok, address, ms' },
    asks: ['getShipment'],
  },
  'profile whoami': {
    description: 'Show which profile, address and credentials a command would use, and why, without network.',
    examples: ['# Before the first booking of a day.', 'waybill profile whoami'],
    output: {
      table: 'a fact a line, and what decided it',
      quiet: 'the profile, else the address',
      json: 'profile, address, environment, credentials, each with what decided it under …From; sandbox, account, ignored, trouble',
    },
  },
  'profile export': {
    description: 'Print a profile without its secrets, for `waybill profile add -f`.',
    examples: [
      '# Take a profile to another machine.',
      'waybill profile set demo currency=EUR',
      'waybill profile export demo > demo.json',
      'waybill profile add copy -f demo.json --base-url https://api.example.com',
    ],
    output: { table: 'the profile as JSON', json: PROFILE_JSON },
  },
  'profile party': group(
    'Keep senders and receivers that are used again.',
    '# Save the warehouse, and send from there.',
    ...PARTY,
    'waybill schema ship --example > order.json',
    'waybill ship -f order.json --sender @warehouse --dry-run',
  ),
  'profile party add': {
    description: 'Save a party, to be used as @NAME.',
    examples: ['# The sender of an example, saved.', ...PARTY],
    output: SILENT,
    exits: { invalid_request: 'the party is not valid; nothing was saved' },
  },
  'profile party list': {
    description: 'List the saved parties of a profile.',
    examples: ['# Save a party, and list what is saved.', ...PARTY, 'waybill profile party list'],
    output: { table: 'a party a line', quiet: 'their names', json: 'a list of name, person, city, country' },
  },
  'profile party show': {
    description: 'Show a saved party.',
    examples: ['# Save a party, and show it.', ...PARTY, 'waybill profile party show warehouse'],
    output: { table: 'a field a line', quiet: 'the JSON in one line', json: 'the party as a request has it' },
  },
  'profile party remove': {
    description: 'Forget a saved party.',
    examples: ['# Save a party, and forget it.', ...PARTY, 'waybill profile party remove warehouse'],
    output: SILENT,
  },
  'profile parcel': group(
    'Keep packages that are used again.',
    '# Save a parcel, and ask for the price of three of it.',
    PARCEL,
    'waybill quote --from TR --to DE --package 3x@small',
  ),
  'profile parcel add': {
    description: 'Save a parcel, to be used as @NAME, or 3x@NAME for three of it.',
    examples: ['# A small box of 1.5 kg.', PARCEL],
    output: SILENT,
  },
  'profile parcel list': {
    description: 'List the saved parcels of a profile.',
    examples: ['# Save a parcel, and list what is saved.', PARCEL, 'waybill profile parcel list'],
    output: { table: 'a parcel a line', quiet: 'their names', json: 'a list of name, package' },
  },
  'profile parcel show': {
    description: 'Show a saved parcel.',
    examples: ['# Save a parcel, and show it.', PARCEL, 'waybill profile parcel show small'],
    output: { table: 'its SPEC', quiet: 'its SPEC', json: 'name, package' },
  },
  'profile parcel remove': {
    description: 'Forget a saved parcel.',
    examples: ['# Save a parcel, and forget it.', PARCEL, 'waybill profile parcel remove small'],
    output: SILENT,
  },
};
