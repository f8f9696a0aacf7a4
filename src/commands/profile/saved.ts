// `profile party` and `profile parcel`: what a profile saves by name.
import type { Command } from 'commander';
import { formatOptions } from '../../batch/source.ts';
import { textAt } from '../../contract/paths.ts';
import { savedParty } from '../../contract/shipments.ts';
import { Failure } from '../../errors.ts';
import { applySets } from '../../order/build.ts';
import { missingIn } from '../../order/check.ts';
import { parsePackage } from '../../order/options.ts';
import type { View } from '../../output/print.ts';
import { anyTable, table } from '../../output/table.ts';
import { safeJson } from '../../output/text.ts';
import { findSaved, SAVED_KINDS, type Saved, type SavedKind } from '../../profile/store.ts';
import { type Act, groupHelp } from '../../session/command.ts';
import { readObject } from '../../session/files.ts';
import { collect } from '../../session/globals.ts';
import { owningProfile, refuseToSave, removeSaved, type Session, saveByName } from '../../session/session.ts';
import { completeParty, partyIssues } from './party-check.ts';
import type { ImportOptions } from './party-import.ts';

export const objectView: View<unknown> = {
  essential: body => [safeJson(body)],
  table: (body, look) => anyTable(look, body),
};

interface PartyOptions {
  file?: string;
  set?: string[];
}

export function defineParty(command: Command, act: Act): void {
  command
    .command('add')
    .description('save a party, to be used as --sender @NAME, --receiver @NAME or --invoice @NAME')
    .argument('<name>', 'its name; a party of that name is replaced')
    .option('-f, --file <path>', 'the party as a JSON object; - is stdin')
    .option('--set <path=value>', 'a field by its path, such as address.city=Berlin; repeatable', collect)
    .action(act<PartyOptions>(add));
  command
    .command('edit')
    .description('change a saved party: in a form on a terminal, or with --set')
    .argument('<party>', 'its name')
    .option('--set <path=value>', 'a field by its path, such as phone.number=5550101; repeatable', collect)
    .action(act<PartyOptions>(edit));
  formatOptions(
    command
      .command('import')
      .description('save the parties of a file: all of them, or none')
      .argument('<file>', 'CSV, a JSON array or JSON lines, each with its name; - is stdin')
      .option('--map <file>', 'JSON that renames and transforms the columns, as for a batch')
      .option('--replace', 'replace the parties whose names are saved already'),
  ).action(
    act<ImportOptions>(async (session, options, file: string) => {
      const { importParties } = await import('./party-import.ts');
      await importParties(session, options, file);
    }),
  );
  defineOthers(command, act, {
    kind: 'parties',
    columns: party => ({
      person: ['firstName', 'lastName'].flatMap(name => textAt(party, [name]) ?? []).join(' '),
      city: textAt(party, ['address', 'city']) ?? null,
      country: textAt(party, ['address', 'country', 'code']) ?? null,
    }),
    shown: (_, party) => party,
    view: objectView,
  });
}

async function add(session: Session, { file, set = [] }: PartyOptions, name: string): Promise<void> {
  refuseToSave(session, 'parties', name);
  const mayAsk = session.interactive && file !== '-';
  if (file === undefined && set.length === 0 && !mayAsk)
    throw new Failure(
      'usage',
      `nothing says who ${name} is. Give a file, \`waybill profile party add ${name} -f FILE\`, or fields with --set; on a terminal it asks. Nothing was saved`,
    );
  const read = file === undefined ? {} : await readObject(file, session.host);
  const party = await completeParty(applySets(savedParty, read, set));
  const issues = partyIssues(party);
  const isUnfinished = issues.length > 0 && missingIn(issues, party).length === issues.length;
  await saveParty(session, name, mayAsk && isUnfinished ? await askFor(session, name, party) : party);
}

async function edit(session: Session, { set = [] }: PartyOptions, name: string): Promise<void> {
  const saved = findSaved(owningProfile(session, 'parties'), 'parties', name);
  if (set.length === 0 && !session.interactive)
    throw new Failure(
      'usage',
      `nothing says what to change, and prompts are off: \`waybill profile party edit ${name} --set address.city=Berlin\`. Nothing was saved`,
    );
  const changed = set.length === 0 ? await askFor(session, name, saved) : applySets(savedParty, saved, set);
  await saveParty(session, name, await completeParty(changed));
}

async function askFor(session: Session, name: string, party: unknown): Promise<unknown> {
  const { askForParty } = await import('../../forms/party.ts');
  return completeParty(await askForParty(session, name, party, partyIssues));
}

/** Throws `invalid_request` with every issue. */
async function saveParty(session: Session, name: string, party: unknown): Promise<void> {
  const issues = partyIssues(party);
  if (issues.length === 0) return saveByName(session, 'parties', name, party);
  const count = issues.length === 1 ? 'a problem' : `${issues.length} problems`;
  throw new Failure('invalid_request', `the party ${name} has ${count}. It was not saved`, { issues });
}

export function defineParcel(command: Command, act: Act): void {
  command
    .command('add')
    .description('save a parcel, to be used as --package @NAME, or --package 3x@NAME for three of it')
    .argument('<name>', 'its name; a parcel of that name is replaced')
    .argument('<spec>', '2x1.5kg@30x20x10cm (pieces x weight each @ L x W x H)')
    .action(
      act<object>(async (session, _: object, name: string, spec: string) => {
        refuseToSave(session, 'parcels', name);
        parsePackage(spec, 'SPEC');
        await saveByName(session, 'parcels', name, spec.trim());
      }),
    );
  defineOthers(command, act, {
    kind: 'parcels',
    columns: spec => ({ package: spec }),
    shown: (name, spec) => ({ name, package: spec }),
    view: { essential: body => [body.package], table: body => body.package },
  });
}

interface Description<K extends SavedKind, Shown> {
  kind: K;
  /** Of the list: the columns that follow the name. */
  columns(value: Saved<K>[string]): Record<string, string | null>;
  shown(name: string, value: Saved<K>[string]): Shown;
  view: View<Shown>;
}

/** Defines `list`, `show` and `remove`; to be called after the others are defined. */
function defineOthers<K extends SavedKind, Shown>(
  command: Command,
  act: Act,
  { kind, columns, shown, view }: Description<K, Shown>,
): void {
  const { one } = SAVED_KINDS[kind];
  const ofNamed = (name: string) =>
    command.command(name).description(`${name} a saved ${one}`).argument(`<${one}>`, 'its name');
  command
    .command('list')
    .description(`list the saved ${kind}`)
    .action(
      act<object>(async session => {
        const all: Saved<SavedKind> = owningProfile(session, kind).profile[kind] ?? {};
        const rows = Object.entries(all).map(([name, value]) => ({
          name,
          ...columns(value as Saved<K>[string]),
        }));
        const [first] = rows;
        await session.printer.result(rows, {
          essential: () => rows.map(({ name }) => name),
          table: (_, look) =>
            first === undefined
              ? `No ${kind} are saved.`
              : table(look, { head: Object.keys(first), rows: rows.map(row => Object.values(row)) }),
        });
      }),
    );
  ofNamed('show').action(
    act<object>(async (session, _: object, name: string) =>
      session.printer.result(shown(name, findSaved(owningProfile(session, kind), kind, name)), view),
    ),
  );
  ofNamed('remove').action(
    act<object>(async (session, _: object, name: string) => removeSaved(session, kind, name)),
  );
  groupHelp(command);
}
