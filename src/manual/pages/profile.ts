import { fieldsOf } from '../../contract/fields.ts';
import { PARTIES, savedParty } from '../../contract/parties.ts';
import { SETTINGS } from '../../profile/settings.ts';
import type { Definition } from '../document.ts';
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
const PROFILE_JSON = 'the settings by name; secrets are masked';

const group = (description: string, ...examples: string[]): Page => ({ description, examples });

const KEYS: Definition[] = [
  ...Object.entries(SETTINGS).map(([name, { description }]): Definition => [name, description]),
  [PARTIES.join(', '), 'a JSON file, or @name of a saved party'],
];

const PARTY_FIELDS: Definition[] = fieldsOf(savedParty)
  .filter(({ kind }) => kind !== 'object')
  .map(({ pattern, description }) => [pattern, description]);

export const PAGES: Pages = {
  profile: group(
    'Save addresses, credentials and defaults by name.',
    '# Save the address of your service, and see what a command would use.',
    TOKEN,
    add('shop'),
    'waybill profile whoami --profile shop',
  ),
  'profile add': {
    description: 'Save a new profile. The first one becomes the current one.',
    examples: ['# A secret comes from stdin, a file, a variable or a program.', TOKEN, add('outlet')],
    output: SILENT,
    asks: ['getShipment'],
    exits: { unauthorized: 'the service refused the credentials when the form tried them' },
  },
  'profile list': {
    description: 'List all profiles. * marks the current one.',
    examples: ['# The profile demo is always there.', 'waybill profile list'],
    output: {
      table: 'one line for each profile',
      quiet: 'their names',
      json: 'a list of name, current, baseUrl, sandboxBaseUrl, account, credentials',
    },
  },
  'profile show': {
    description: 'Show a profile. Its secrets are masked.',
    examples: ['# Save a profile, and show it.', TOKEN, add('wholesale'), 'waybill profile show wholesale'],
    output: { table: 'one line for each setting', quiet: 'the JSON in one line', json: PROFILE_JSON },
  },
  'profile set': {
    description: 'Change settings of a profile.',
    examples: [
      '# Set defaults for each request.',
      'waybill profile set demo currency=EUR type=package category=sales',
      '# An empty value removes a setting.',
      'waybill profile set demo category=',
    ],
    output: SILENT,
    more: [{ title: 'Keys', blocks: [{ rows: KEYS }] }],
  },
  'profile use': {
    description: 'Make a profile the current one.',
    examples: ['# Use the built-in emulator if no other profile is given.', 'waybill profile use demo'],
    output: SILENT,
  },
  'profile remove': {
    description: 'Remove a profile and its credentials. The journal keeps its bookings.',
    examples: ['# Save a profile, and remove it.', TOKEN, add('former'), 'waybill profile remove former'],
    output: SILENT,
  },
  'profile test': {
    description:
      'See whether the service can be worked with, as far as that shows without a booking: each operation that reads is called once, with a sample or with an id that nothing has. Nothing is booked.',
    examples: [
      '# Test the current profile, or another one by its name.',
      'waybill profile test',
      'waybill profile test demo',
      '# Test its sandbox. Rates and subscriptions have none, and are skipped.',
      'waybill profile test --sandbox',
    ],
    output: {
      table: 'one line for each operation: request, status, and what was found',
      quiet: 'ok, or the requests that failed',
      json: 'ok, address, credentials, operations: a list of operation, request, httpStatus, result (ok, failed, skipped), message',
    },
    asks: ['proposal', 'rates', 'getShipment', 'getDomesticShipment', 'getSubscription'],
    exits: {
      partial: 'some operations cannot be worked with; the others can',
      unauthorized: 'no credentials, or no operation accepts them',
      unavailable: 'no operation gave an answer that can be read',
    },
  },
  'profile whoami': {
    description: 'Show which profile, address and credentials a command would use, and why. Nothing is sent.',
    examples: ['# Before the first booking of a day.', 'waybill profile whoami'],
    output: {
      table: 'one line for each fact, with the reason',
      quiet: 'the profile; without one, the address',
      json: 'profile, address, environment, credentials and caCert, each with its reason under …From; clientCert, sandbox, account, economyCarriers, endMilestones, ignored, trouble',
    },
  },
  'profile export': {
    description: 'Print a profile without its secrets, for `waybill profile add -f`.',
    examples: [
      '# Copy a profile to another machine.',
      'waybill profile set demo currency=EUR',
      'waybill profile export demo > demo.json',
      'waybill profile add copy -f demo.json --base-url https://api.example.com',
    ],
    output: { table: 'the profile as JSON', json: PROFILE_JSON },
  },
  'profile party': group(
    'Save senders and receivers that you use again.',
    '# Save the warehouse, and use it as the sender.',
    ...PARTY,
    'waybill schema ship --example > order.json',
    'waybill ship -f order.json --sender @warehouse --dry-run',
  ),
  'profile party add': {
    description: 'Save a party. A command uses it as @NAME. On a terminal it asks for what is missing.',
    examples: ['# Save the sender of an example.', ...PARTY],
    output: SILENT,
    exits: { invalid_request: 'the party is not valid. Nothing was saved' },
  },
  'profile party edit': {
    description: 'Change a saved party. On a terminal without --set, a form shows its values.',
    examples: [
      '# Save a party, and change its city.',
      ...PARTY,
      'waybill profile party edit warehouse --set address.city=Ankara',
    ],
    output: SILENT,
    exits: { invalid_request: 'the party would not be valid. Nothing was saved' },
  },
  'profile party import': {
    description: 'Save the parties of a file. All of it is checked before anything is saved.',
    examples: [
      '# Two customers.',
      "printf 'name,firstName,lastName,email,phone.code,phone.number,address.line1,address.city,address.zipCode,address.country.code\\nanna,Anna,Beispiel,anna@example.com,+49,3515550100,Hauptstr. 7,Dresden,01067,DE\\nmax,Max,Muster,max@example.com,+43,15550100,Ring 1,Wien,1010,AT\\n' > book.csv",
      'waybill profile party import book.csv --replace',
    ],
    output: SILENT,
    exits: { invalid_request: 'a party is not valid. Nothing was saved' },
    more: [
      {
        title: 'Columns',
        blocks: [{ rows: [['name', 'the party is used as @NAME'], ...PARTY_FIELDS] }],
      },
    ],
  },
  'profile party list': {
    description: 'List the saved parties of a profile.',
    examples: ['# Save a party, and list all saved parties.', ...PARTY, 'waybill profile party list'],
    output: {
      table: 'one line for each party',
      quiet: 'their names',
      json: 'a list of name, person, city, country',
    },
  },
  'profile party show': {
    description: 'Show a saved party.',
    examples: ['# Save a party, and show it.', ...PARTY, 'waybill profile party show warehouse'],
    output: {
      table: 'one line for each field',
      quiet: 'the JSON in one line',
      json: 'the party as in a request',
    },
  },
  'profile party remove': {
    description: 'Remove a saved party.',
    examples: ['# Save a party, and remove it.', ...PARTY, 'waybill profile party remove warehouse'],
    output: SILENT,
  },
  'profile parcel': group(
    'Save parcels that you use again.',
    '# Save a parcel, and ask for the price of three of them.',
    PARCEL,
    'waybill quote --from TR --to DE --package 3x@small',
  ),
  'profile parcel add': {
    description: 'Save a parcel. A command uses it as @NAME, or as 3x@NAME for three of them.',
    examples: ['# Save a small box of 1.5 kg.', PARCEL],
    output: SILENT,
  },
  'profile parcel list': {
    description: 'List the saved parcels of a profile.',
    examples: ['# Save a parcel, and list all saved parcels.', PARCEL, 'waybill profile parcel list'],
    output: { table: 'one line for each parcel', quiet: 'their names', json: 'a list of name, package' },
  },
  'profile parcel show': {
    description: 'Show a saved parcel.',
    examples: ['# Save a parcel, and show it.', PARCEL, 'waybill profile parcel show small'],
    output: { table: 'its SPEC', quiet: 'its SPEC', json: 'name, package' },
  },
  'profile parcel remove': {
    description: 'Remove a saved parcel.',
    examples: ['# Save a parcel, and remove it.', PARCEL, 'waybill profile parcel remove small'],
    output: SILENT,
  },
};
