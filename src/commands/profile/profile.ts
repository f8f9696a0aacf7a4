import type { Command } from 'commander';
import { Failure } from '../../errors.ts';
import type { View } from '../../output/print.ts';
import { safeJson } from '../../output/safe.ts';
import { anyTable, table } from '../../output/table.ts';
import { maskProfile } from '../../profile/mask.ts';
import { DEMO, findProfile, profileOrDemo, requireProfile } from '../../profile/names.ts';
import { changeConfig, type Profile } from '../../profile/store.ts';
import type { Act } from '../../session/command.ts';
import { groupHelp } from '../../session/command.ts';
import type { Session } from '../../session/session.ts';
import { defineAdd } from './add.ts';
import { defineSet, exported } from './edit.ts';
import { defineParcel } from './parcel.ts';
import { defineParty } from './party.ts';
import { defineTest, defineWhoami } from './test.ts';

export function define(command: Command, act: Act): void {
  const sub = (name: string, summary: string) => command.command(name).description(summary);
  defineAdd(sub('add', 'save a profile'), act);
  sub('list', 'every profile; * marks the current one').action(act<object>(list));
  sub('show', 'a profile, its secrets masked')
    .argument('[name]', 'else the current one')
    .action(act<object>(show));
  defineSet(sub('set', 'change settings of a profile'), act);
  sub('use', 'make a profile the current one').argument('<name>', 'its name').action(act<object>(use));
  sub('remove', 'forget a profile, its credentials too')
    .argument('<name>', 'its name')
    .action(act<object>(remove));
  defineTest(sub('test', 'see whether address and credentials work'), act);
  defineWhoami(sub('whoami', 'which profile, address and credentials a command would use, and why'), act);
  sub('export', 'a profile without its secrets, for `profile add -f`')
    .argument('[name]', 'else the current one')
    .action(act<object>(exportProfile));
  defineParty(sub('party', 'senders and receivers that are used again'), act);
  defineParcel(sub('parcel', 'packages that are used again'), act);
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
  const view: View<typeof rows> = {
    essential: all => all.map(row => row.name),
    table: (all, look) =>
      table(look, {
        head: ['', 'name', 'address', 'sandbox', 'account', 'credentials'],
        rows: all.map(row => [
          row.current ? '*' : ' ',
          row.name,
          row.baseUrl,
          row.sandboxBaseUrl,
          row.account,
          row.credentials,
        ]),
      }),
  };
  await printer.result(rows, view);
}

/** The name that was given, or that the command line and the config make the current one. */
function named(session: Session, name: string | undefined): string {
  const found = name ?? session.target().name;
  if (found !== undefined) return found;
  throw new Failure('usage', 'there is no current profile; name one, or `waybill profile use NAME`');
}

const objectView: View<Record<string, unknown>> = {
  essential: body => [safeJson(body)],
  table: (body, look) => anyTable(look, body),
};

async function show(session: Session, _: object, name?: string): Promise<void> {
  const profile = named(session, name);
  const stored = profileOrDemo(session, profile);
  await session.printer.result({ name: profile, ...maskProfile(stored) }, objectView);
}

async function exportProfile(session: Session, _: object, name?: string): Promise<void> {
  const { globals, printer } = session;
  const profile = exported(requireProfile(session, named(session, name)));
  // For `profile add -f`: a preference of environment or profile for another format must not spoil it.
  if (globals.output === undefined && globals.query === undefined) await printer.plain(safeJson(profile, 2));
  else await printer.result(profile, objectView);
}

async function use(session: Session, _: object, name: string): Promise<void> {
  profileOrDemo(session, name);
  await changeConfig(session.host, config => ({ ...config, current: name }));
  await session.printer.note(`the current profile is ${name}`);
}

async function remove(session: Session, _: object, name: string): Promise<void> {
  requireProfile(session, name);
  await changeConfig(session.host, ({ current, profiles }) => {
    const { [name]: _gone, ...rest } = profiles;
    return { ...(current !== undefined && current !== name && { current }), profiles: rest };
  });
  const left = session.config.current === name ? '; no profile is the current one now' : '';
  await session.printer.note(`profile ${name} removed${left}`);
}
