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
import { type Act, groupHelp } from '../../session/command.ts';
import type { Session } from '../../session/session.ts';
import { define as defineAdd } from './add.ts';
import { defineParcel, defineParty, objectView } from './saved.ts';
import { define as defineSet } from './settings.ts';
import { defineWhoami, test } from './whoami.ts';

export function define(command: Command, act: Act): void {
  const sub = (name: string, summary: string) => command.command(name).description(summary);
  const ofCurrent = (name: string, summary: string) =>
    sub(name, summary).argument('[profile]', 'else the current one');
  const ofNamed = (name: string, summary: string) => sub(name, summary).argument('<profile>', 'its name');
  defineAdd(sub('add', 'save a profile; the first one becomes the current one'), act);
  sub('list', 'list all profiles; * marks the current one').action(act<object>(list));
  ofCurrent('show', 'show a profile, its secrets masked').action(act<object>(show));
  defineSet(ofNamed('set', 'change settings of a profile'), act);
  ofNamed('use', 'make a profile the current one').action(
    act<object>(async (session, _: object, name: string) => {
      await changeConfig(session.host, config => {
        profileOrDemo({ config }, name);
        return { ...config, current: name };
      });
      await session.printer.note(`the current profile is ${name}`);
    }),
  );
  ofNamed('remove', 'remove a profile and its credentials; the journal keeps its bookings').action(
    act<object>(remove),
  );
  ofCurrent('test', 'see whether the service works with waybill, without a booking').action(
    act<object>(test),
  );
  defineWhoami(
    sub('whoami', 'show which profile, address and credentials a command would use, and why'),
    act,
  );
  ofCurrent('export', 'print a profile without its secrets, for `profile add -f`').action(
    act<object>(exportProfile),
  );
  defineParty(sub('party', 'save senders and receivers that are used again'), act);
  defineParcel(sub('parcel', 'save packages that are used again'), act);
  groupHelp(command);
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
  let end = '';
  await changeConfig(session.host, config => {
    requireProfile({ config }, name);
    const { current, profiles } = config;
    const { [name]: _removed, ...rest } = profiles;
    if (current === name) end = '; no profile is the current one now';
    return { ...(current !== undefined && current !== name && { current }), profiles: rest };
  });
  await session.printer.note(`profile ${name} removed${end}`);
}
