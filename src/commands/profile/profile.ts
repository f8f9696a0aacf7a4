// The commands of `waybill profile`; long commands have files of their own.
import { Failure } from '../../errors.ts';
import { table } from '../../output/table.ts';
import { safeJson } from '../../output/text.ts';
import { otherProfileWords } from '../../profile/environment.ts';
import { maskProfile } from '../../profile/secrets.ts';
import {
  changeConfig,
  DEMO,
  findProfile,
  type Profile,
  profileOrDemo,
  requireProfile,
} from '../../profile/store.ts';
import { type CommandGroup, declare, operand, SILENT } from '../../session/command.ts';
import type { Session } from '../../session/session.ts';
import { unknownOf } from './change-of-place.ts';
import { objectView, parcel, party } from './parties-and-parcels.ts';

/** The lines of an example that save a profile. */
const savedAs = (name: string) => [
  'echo your-token > token.txt',
  `waybill profile add ${name} --base-url https://api.example.com --token-stdin < token.txt`,
];

export const command: CommandGroup = {
  examples: [
    '# Save the address of your service, and see what a command would use.',
    ...savedAs('shop'),
    'waybill profile whoami --profile shop',
  ],
  commands: {
    add: ['save a profile; the first one becomes the current one', () => import('./add.ts')],
    list: ['list all profiles; * marks the current one', async () => list],
    show: ['show a profile, its secrets masked', async () => show],
    set: ['change settings of a profile', () => import('./settings.ts')],
    use: ['make a profile the current one', async () => use],
    remove: ['remove a profile and its credentials; the journal keeps its bookings', async () => remove],
    test: ['see whether the service works with waybill, without a booking', () => import('./test.ts')],
    whoami: [
      'show which profile, address and credentials a command would use, and why',
      async () => (await import('./whoami.ts')).whoami,
    ],
    rules: ['show its rules, or which of them fits an order', () => import('./rules.ts')],
    export: ['print a profile without its secrets, for `profile add -f`', async () => exported],
    party: ['save senders and receivers that are used again', async () => party],
    parcel: ['save packages that are used again', async () => parcel],
  },
};

const list = declare({
  examples: ['# The profile demo is always there.', 'waybill profile list'],
  output: {
    table: 'one line for each profile',
    quiet: 'their names',
    json: 'a list of name, current, baseUrl, sandboxBaseUrl, account, credentials',
  },
  async run(session) {
    const { config } = session;
    const profiles: Record<string, Profile> = { ...config.profiles, [DEMO]: findProfile(config, DEMO) ?? {} };
    const rows = Object.entries(profiles).map(([name, profile]) => ({
      name,
      current: name === config.current,
      baseUrl: name === DEMO ? 'built-in emulator' : (profile.baseUrl ?? null),
      sandboxBaseUrl: profile.sandboxBaseUrl ?? null,
      account: profile.account ?? null,
      credentials: name === DEMO ? 'built in' : (profile.credentials?.kind ?? null),
    }));
    await session.printer.result(rows, {
      essential: profiles => profiles.map(({ name }) => name),
      table: (profiles, look) =>
        table(look, {
          head: ['', 'name', 'address', 'sandbox', 'account', 'credentials'],
          align: ['whole', 'whole', 'whole', 'whole', 'left', 'left'],
          rows: profiles.map(({ name, current, ...rest }) => [
            current ? '*' : ' ',
            name,
            ...Object.values(rest),
          ]),
        }),
    });
  },
});

const show = declare({
  examples: ['# What is set for the built-in emulator.', 'waybill profile show demo'],
  output: {
    table: 'one line for each setting',
    quiet: 'the JSON in one line',
    json: 'the settings by name; secrets are masked',
  },
  operands: [operand('[profile]', 'else the current one')],
  async run(session, _, profile) {
    const name = nameOrCurrent(session, profile);
    await session.printer.result({ name, ...maskProfile(profileOrDemo(session, name)) }, objectView);
  },
});

const use = declare({
  examples: ['# Use the built-in emulator if no other profile is given.', 'waybill profile use demo'],
  output: SILENT,
  operands: [operand('<profile>', 'its name')],
  async run(session, _, name) {
    await changeConfig(session.host, config => {
      profileOrDemo({ config }, name);
      return { ...config, current: name };
    });
    await session.printer.note(`the current profile is ${name}${otherProfileWords(session.host.env, name)}`);
  },
});

const remove = declare({
  examples: ['# Save a profile, and remove it.', ...savedAs('former'), 'waybill profile remove former'],
  output: SILENT,
  operands: [operand('<profile>', 'its name')],
  async run(session, _, name) {
    const { host, printer } = session;
    let end = '';
    await changeConfig(host, config => {
      requireProfile({ config }, name);
      const { current, profiles } = config;
      const { [name]: _removed, ...rest } = profiles;
      if (current === name) end = '; no profile is the current one now';
      return { ...(current !== undefined && current !== name && { current }), profiles: rest };
    });
    await printer.note(`profile ${name} removed${end}`);
    const unknown = await unknownOf(session, name);
    if (unknown) await printer.note(unknown);
  },
});

const exported = declare({
  examples: [
    '# Copy a profile to another machine.',
    'waybill profile set demo currency=EUR',
    'waybill profile export demo > demo.json',
    'waybill profile add copy -f demo.json --base-url https://api.example.com',
  ],
  output: { table: 'the profile as JSON', json: 'the settings by name' },
  operands: [operand('[profile]', 'else the current one')],
  async run(session, _options, profile) {
    const { globals, printer } = session;
    // The credentials are left out: the profile is for a colleague, who has their own.
    const saved = requireProfile(session, nameOrCurrent(session, profile));
    const { credentials: _, clientCert: __, clientKey: ___, ...rest } = maskProfile(saved);
    // `profile add -f` reads this JSON: a format that environment or profile prefer must not change it.
    if (globals.output === undefined && globals.query === undefined) await printer.plain(safeJson(rest, 2));
    else await printer.result(rest, objectView);
  },
});

/** The name of a profile from the command line, or the name of the current profile. Throws `usage`. */
function nameOrCurrent(session: Session, profile: string | undefined): string {
  const name = profile ?? session.target().name;
  if (name !== undefined) return name;
  throw new Failure(
    'usage',
    'there is no current profile. Name one, or type `waybill profile use NAME` first',
  );
}
