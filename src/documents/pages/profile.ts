// The pages of `waybill profile`.
import { fieldsOf } from '../../contract/shapes.ts';
import { PARTIES, savedParty } from '../../contract/shipments.ts';
import { SETTING_NAMES, settingWords } from '../../profile/settings.ts';
import type { HelpPages, Page } from '../../shell/pages.ts';
import { SILENT } from '../page.ts';

const added = (name: string) => [
  'echo your-token > token.txt',
  `waybill profile add ${name} --base-url https://api.example.com --token-stdin < token.txt`,
];

/** Saves the sender of an example; other examples begin with it. */
const PARTY_EXAMPLE = [
  'waybill schema ship --example --query sender > sender.json',
  'waybill profile party add warehouse -f sender.json',
];
const page = { output: SILENT, exits: { invalid_request: 'a party is not valid. Nothing was saved' } };
const columns = fieldsOf(savedParty).filter(({ kind }) => kind !== 'object');

const PARCEL_EXAMPLE = ['waybill profile parcel add small 1.5kg@30x20x10cm'];

interface Saved {
  one: string;
  all: string;
  /** The name of one that is saved, and what saves it. */
  example: readonly [name: string, lines: readonly string[]];
  /** The fields of the list. */
  list: string;
  show: Page['output'] & object;
}

/** What parties and parcels have in common. */
function pagesOfSaved({ one, all, example: [saved, lines], list, show }: Saved): HelpPages {
  const examples = (what: string, words: string) => [
    `# Save a ${one}, and ${what} it.`,
    ...lines,
    `waybill profile ${one} ${words}`,
  ];
  return {
    [`profile ${one} list`]: {
      examples: [`# All ${all} of the current profile.`, `waybill profile ${one} list --profile demo`],
      output: { table: `one line for each ${one}`, quiet: 'their names', json: `a list of ${list}` },
    },
    [`profile ${one} show`]: { examples: examples('show', `show ${saved}`), output: show },
    [`profile ${one} remove`]: { examples: examples('remove', `remove ${saved}`), output: SILENT },
  };
}

export const PROFILE: HelpPages = {
  'profile add': {
    examples: [
      '# A secret comes from stdin, a file, a variable or a program.',
      'echo your-token > token.txt',
      'waybill profile add outlet --base-url https://api.example.com --token-stdin < token.txt',
    ],
    output: SILENT,
    exits: { unauthorized: 'the service refused the credentials when the form tried them' },
  },
  'profile list': {
    examples: ['# The profile demo is always there.', 'waybill profile list'],
    output: {
      table: 'one line for each profile',
      quiet: 'their names',
      json: 'a list of name, current, baseUrl, sandboxBaseUrl, account, credentials',
    },
  },
  'profile show': {
    examples: ['# What is set for the built-in emulator.', 'waybill profile show demo'],
    output: {
      table: 'one line for each setting',
      quiet: 'the JSON in one line',
      json: 'the settings by name; secrets are masked',
    },
  },
  'profile use': {
    examples: ['# Use the built-in emulator if no other profile is given.', 'waybill profile use demo'],
    output: SILENT,
  },
  'profile remove': {
    examples: ['# Save a profile, and remove it.', ...added('former'), 'waybill profile remove former'],
    output: SILENT,
  },
  'profile test': {
    examples: ['# Test a profile by its name; else the current one.', 'waybill profile test demo'],
    output: {
      table: 'each operation that reads, called once: request, status, and what was found',
      quiet: 'ok, or the requests that failed',
      json: 'ok, address, credentials, and operations, each with its request, httpStatus, result and message',
    },
    exits: {
      partial: 'some operations cannot be worked with; the others can',
      unauthorized: 'no credentials, or no operation accepts them',
    },
  },
  'profile export': {
    examples: [
      '# Copy a profile to another machine.',
      'waybill profile set demo currency=EUR',
      'waybill profile export demo > demo.json',
      'waybill profile add copy -f demo.json --base-url https://api.example.com',
    ],
    output: { table: 'the profile as JSON', json: 'the settings by name' },
  },
  profile: {
    examples: [
      '# Save the address of your service, and see what a command would use.',
      ...added('shop'),
      'waybill profile whoami --profile shop',
    ],
  },
  'profile party add': { examples: ['# Save the sender of an example.', ...PARTY_EXAMPLE], ...page },
  'profile party edit': {
    examples: [
      '# Save a party, and change its city.',
      ...PARTY_EXAMPLE,
      'waybill profile party edit warehouse --set address.city=Ankara',
    ],
    ...page,
  },
  'profile party import': {
    examples: [
      '# The sender of an example.',
      `waybill schema ship --example --query "[merge(sender, {name: 'anna'})]" > book.json`,
      'waybill profile party import book.json --replace',
    ],
    ...page,
    notes: {
      Columns: [
        ['name', 'the party is used as @NAME'],
        ...columns.map(({ pattern, description }) => [pattern, description] as const),
      ],
    },
  },
  'profile party': {
    examples: [
      '# Save the warehouse, and use it as the sender.',
      ...PARTY_EXAMPLE,
      'waybill schema ship --example > order.json',
      'waybill ship -f order.json --sender @warehouse --dry-run',
    ],
  },
  'profile parcel add': { examples: ['# Save a small box of 1.5 kg.', ...PARCEL_EXAMPLE], output: SILENT },
  'profile parcel': {
    examples: [
      '# Save a parcel, and ask for the price of three of them.',
      ...PARCEL_EXAMPLE,
      'waybill quote --from TR --to DE --package 3x@small',
    ],
  },
  'profile set': {
    examples: [
      '# Set defaults for each request.',
      'waybill profile set demo currency=EUR type=package category=sales',
      '# An empty value removes a setting.',
      'waybill profile set demo category=',
    ],
    output: SILENT,
    notes: {
      Settings: [
        ...SETTING_NAMES.map(name => [name, settingWords(name)] as const),
        [PARTIES.join(', '), 'a JSON file, or @name of a saved party'],
      ],
      'What was booked': `Keys and limits belong to the address, the account and the journal. Of a profile that has booked a change of one of these is asked about; where nobody can be asked it needs --yes.`,
    },
  },
  'profile whoami': {
    examples: ['# Before the first booking of a day. Nothing is sent.', 'waybill profile whoami'],
    output: {
      table: 'one line for each fact, with the reason',
      quiet: 'the profile; without one, the address',
      json: 'the facts by name, their reasons under …From; defaults is what the profile gives each request, limits has leftOfDay',
    },
  },
  ...pagesOfSaved({
    one: 'party',
    all: 'parties',
    example: ['warehouse', PARTY_EXAMPLE],
    list: 'name, person, city, country',
    show: {
      table: 'one line for each field',
      quiet: 'the JSON in one line',
      json: 'the party as in a request',
    },
  }),
  ...pagesOfSaved({
    one: 'parcel',
    all: 'parcels',
    example: ['small', PARCEL_EXAMPLE],
    list: 'name, package',
    show: { table: 'its SPEC', json: 'name, package' },
  }),
};
