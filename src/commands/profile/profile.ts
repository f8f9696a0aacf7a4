// The commands of `waybill profile`. Those that are longer than a few lines have files of their own.
import type { Command } from 'commander';
import { Failure } from '../../errors.ts';
import { table } from '../../output/table.ts';
import { safeJson } from '../../output/text.ts';
import { maskProfile } from '../../profile/secrets.ts';
import {
  changeConfig,
  DEMO,
  findProfile,
  type Profile,
  profileOrDemo,
  requireProfile,
} from '../../profile/store.ts';
import { type Act, addPage, groupHelp, SILENT } from '../../session/command.ts';
import type { Session } from '../../session/session.ts';
import { define as defineAdd } from './add.ts';
import { defineParcel, defineParty, objectView } from './saved.ts';
import { define as defineSet } from './settings.ts';
import { defineWhoami, test } from './whoami.ts';

const added = (name: string) => [
  'echo your-token > token.txt',
  `waybill profile add ${name} --base-url https://api.example.com --token-stdin < token.txt`,
];

export function define(command: Command, act: Act): void {
  const sub = (name: string, summary: string) => command.command(name).description(summary);
  const ofCurrent = (name: string, summary: string) =>
    sub(name, summary).argument('[profile]', 'else the current one');
  const ofNamed = (name: string, summary: string) => sub(name, summary).argument('<profile>', 'its name');
  defineAdd(sub('add', 'save a profile; the first one becomes the current one'), act);
  addPage(sub('list', 'list all profiles; * marks the current one'), {
    examples: ['# The profile demo is always there.', 'waybill profile list'],
    output: {
      table: 'one line for each profile',
      quiet: 'their names',
      json: 'a list of name, current, baseUrl, sandboxBaseUrl, account, credentials',
    },
  }).action(act<object>(list));
  addPage(ofCurrent('show', 'show a profile, its secrets masked'), {
    examples: ['# What is set for the built-in emulator.', 'waybill profile show demo'],
    output: {
      table: 'one line for each setting',
      quiet: 'the JSON in one line',
      json: 'the settings by name; secrets are masked',
    },
  }).action(act<object>(show));
  defineSet(ofNamed('set', 'change settings of a profile'), act);
  addPage(ofNamed('use', 'make a profile the current one'), {
    examples: ['# Use the built-in emulator if no other profile is given.', 'waybill profile use demo'],
    output: SILENT,
  }).action(
    act<object>(async (session, _: object, name: string) => {
      profileOrDemo(session, name);
      await changeConfig(session.host, config => ({ ...config, current: name }));
      await session.printer.note(`the current profile is ${name}`);
    }),
  );
  addPage(ofNamed('remove', 'remove a profile and its credentials; the journal keeps its bookings'), {
    examples: ['# Save a profile, and remove it.', ...added('former'), 'waybill profile remove former'],
    output: SILENT,
  }).action(act<object>(remove));
  addPage(ofCurrent('test', 'see whether the service works with waybill, without a booking'), {
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
  }).action(act<object>(test));
  defineWhoami(
    sub('whoami', 'show which profile, address and credentials a command would use, and why'),
    act,
  );
  addPage(ofCurrent('export', 'print a profile without its secrets, for `profile add -f`'), {
    examples: [
      '# Copy a profile to another machine.',
      'waybill profile set demo currency=EUR',
      'waybill profile export demo > demo.json',
      'waybill profile add copy -f demo.json --base-url https://api.example.com',
    ],
    output: { table: 'the profile as JSON', json: 'the settings by name' },
  }).action(act<object>(exportProfile));
  defineParty(sub('party', 'save senders and receivers that are used again'), act);
  defineParcel(sub('parcel', 'save packages that are used again'), act);
  groupHelp(command);
  addPage(command, {
    examples: [
      '# Save the address of your service, and see what a command would use.',
      ...added('shop'),
      'waybill profile whoami --profile shop',
    ],
  });
}

async function list({ config, printer }: Session): Promise<void> {
  const profiles: Record<string, Profile> = { ...config.profiles, [DEMO]: findProfile(config, DEMO) ?? {} };
  const rows = Object.entries(profiles).map(([name, profile]) => ({
    name,
    current: name === config.current,
    baseUrl: name === DEMO ? 'built-in emulator' : (profile.baseUrl ?? null),
    sandboxBaseUrl: profile.sandboxBaseUrl ?? null,
    account: profile.account ?? null,
    credentials: name === DEMO ? 'built in' : (profile.credentials?.kind ?? null),
  }));
  await printer.result(rows, {
    essential: all => all.map(({ name }) => name),
    table: (all, look) =>
      table(look, {
        head: ['', 'name', 'address', 'sandbox', 'account', 'credentials'],
        align: ['whole', 'whole', 'whole', 'whole', 'left', 'left'],
        rows: all.map(({ name, current, ...rest }) => [current ? '*' : ' ', name, ...Object.values(rest)]),
      }),
  });
}

async function show(session: Session, _: object, given?: string): Promise<void> {
  const name = nameOrCurrent(session, given);
  await session.printer.result({ name, ...maskProfile(profileOrDemo(session, name)) }, objectView);
}

async function exportProfile(session: Session, _options: object, given?: string): Promise<void> {
  const { globals, printer } = session;
  // Without credentials: for a colleague, who has their own.
  const profile = requireProfile(session, nameOrCurrent(session, given));
  const { credentials: _, clientCert: __, clientKey: ___, ...rest } = maskProfile(profile);
  // For `profile add -f`: a format that environment or profile prefer must not spoil it.
  if (globals.output === undefined && globals.query === undefined) await printer.plain(safeJson(rest, 2));
  else await printer.result(rest, objectView);
}

/** The name from the command line, or that of the current profile. Throws `usage`. */
function nameOrCurrent(session: Session, given: string | undefined): string {
  const name = given ?? session.target().name;
  if (name !== undefined) return name;
  throw new Failure(
    'usage',
    'there is no current profile. Name one, or type `waybill profile use NAME` first',
  );
}

async function remove(session: Session, _: object, name: string): Promise<void> {
  requireProfile(session, name);
  await changeConfig(session.host, ({ current, profiles }) => {
    const { [name]: _removed, ...rest } = profiles;
    return { ...(current !== undefined && current !== name && { current }), profiles: rest };
  });
  const end = session.config.current === name ? '; no profile is the current one now' : '';
  await session.printer.note(`profile ${name} removed${end}`);
}
