// `profile party` and `profile parcel`: what a profile saves by name.

import { partyOf } from '../../contract/parties.ts';
import { textAt } from '../../contract/paths.ts';
import { savedParty } from '../../contract/shipments.ts';
import { Failure } from '../../errors.ts';
import { applySets } from '../../order/build.ts';
import { missingIn } from '../../order/check.ts';
import { parsePackage } from '../../order/options.ts';
import type { View } from '../../output/print.ts';
import { anyTable, table } from '../../output/table.ts';
import { safeJson } from '../../output/text.ts';
import { findSaved, nameFault, SAVED_KINDS, type Saved, type SavedKind } from '../../profile/store.ts';
import { type CommandGroup, declare, operand, type Page, SILENT } from '../../session/command.ts';
import { readObject } from '../../session/files.ts';
import { flag } from '../../session/flags.ts';
import { REPEATED } from '../../session/globals.ts';
import { owningProfile, refuseToSave, removeSaved, type Session, saveByName } from '../../session/session.ts';
import { messageOf } from '../../system-errors.ts';
import { fromWing } from '../../wings.ts';
import { completeParty, PARTY_EXITS, partyIssues } from './party-check.ts';

export const objectView: View<unknown> = {
  essential: body => [safeJson(body)],
  table: (body, look) => anyTable(look, body),
};

/** The lines that save a sender; other examples begin with them. */
const PARTY_EXAMPLE = [
  'waybill schema ship --example --query sender > sender.json',
  'waybill profile party add warehouse -f sender.json',
];

export const party: CommandGroup = {
  examples: [
    '# Save the warehouse, and use it as the sender.',
    ...PARTY_EXAMPLE,
    'waybill schema ship --example > order.json',
    'waybill ship -f order.json --sender @warehouse --dry-run',
  ],
  commands: {
    add: [
      'save a party, to be used as --sender @NAME, --receiver @NAME or --invoice @NAME',
      async () => addParty,
    ],
    edit: ['change a saved party: in a form on a terminal, or with --set', async () => editParty],
    import: ['save the parties of a file: all of them, or none', () => import('./party-import.ts')],
    ...commandsOfSaved({
      kind: 'parties',
      example: ['warehouse', PARTY_EXAMPLE],
      list: 'name, person, city, country',
      columns: saved => ({
        person: partyOf(saved).person,
        city: textAt(saved, ['address', 'city']) ?? null,
        country: textAt(saved, ['address', 'country', 'code']) ?? null,
      }),
      show: {
        table: 'one line for each field',
        quiet: 'the JSON in one line',
        json: 'the party as in a request',
      },
      shown: (_, saved) => saved,
      view: objectView,
    }),
  },
};

const addParty = declare({
  examples: ['# Save the sender of an example.', ...PARTY_EXAMPLE],
  output: SILENT,
  exits: PARTY_EXITS,
  operands: [operand('[name]', 'its name; a party of that name is replaced. Left out, it is asked for')],
  flags: {
    file: flag('-f, --file <path>', 'the party as a JSON object; - is stdin'),
    set: flag('--set <path=value>', 'a field by its path, such as address.city=Berlin; repeatable', REPEATED),
  },
  async run(session, options, typedName) {
    const { file, set = [] } = options;
    const mayAsk = session.interactive && file !== '-';
    const name = typedName ?? (await askForText(session, 'party', 'NAME', mayAsk, nameFault));
    refuseToSave(session, 'parties', name);
    if (file === undefined && set.length === 0 && !mayAsk)
      throw new Failure(
        'usage',
        `nothing says who ${name} is. Give a file, \`waybill profile party add ${name} -f FILE\`, or fields with --set; on a terminal it asks. Nothing was saved`,
      );
    const read = file === undefined ? {} : await readObject(file, session.host);
    const typed = await completeParty(applySets(savedParty, read, set));
    const issues = partyIssues(typed);
    const isUnfinished = issues.length > 0 && missingIn(issues, typed).length === issues.length;
    await saveParty(session, name, mayAsk && isUnfinished ? await askFor(session, name, typed) : typed);
  },
});

const editParty = declare({
  examples: [
    '# Save a party, and change its city.',
    ...PARTY_EXAMPLE,
    'waybill profile party edit warehouse --set address.city=Ankara',
  ],
  output: SILENT,
  exits: PARTY_EXITS,
  operands: [operand('<party>', 'its name')],
  flags: {
    set: flag(
      '--set <path=value>',
      'a field by its path, such as phone.number=5550101; repeatable',
      REPEATED,
    ),
  },
  async run(session, options, name) {
    const { set = [] } = options;
    const saved = findSaved(owningProfile(session, 'parties'), 'parties', name);
    if (set.length === 0 && !session.interactive)
      throw new Failure(
        'usage',
        `nothing says what to change, and prompts are off: \`waybill profile party edit ${name} --set address.city=Berlin\`. Nothing was saved`,
      );
    const changed = set.length === 0 ? await askFor(session, name, saved) : applySets(savedParty, saved, set);
    await saveParty(session, name, await completeParty(changed));
  },
});

/** Asks a person for an operand that was left out. Throws `usage` where nobody can be asked. */
async function askForText(
  session: Session,
  noun: 'party' | 'parcel',
  operandName: 'NAME' | 'SPEC',
  mayAsk: boolean,
  fault: (text: string) => string | undefined,
): Promise<string> {
  if (!mayAsk)
    throw new Failure(
      'usage',
      `${operandName} is missing: \`waybill profile ${noun} add NAME ${noun === 'party' ? '-f FILE' : 'SPEC'}\`. Nothing was saved`,
    );
  const message = operandName === 'NAME' ? `Name of the ${noun}` : 'Parcel, such as 1.5kg@30x20x10cm';
  const check = (text: string) => fault(text.trim());
  const answer = await session.ask({ kind: 'text', id: operandName.toLowerCase(), message, check });
  return (answer ?? '').trim();
}

/** Why a text is no SPEC of a package; `undefined` if it is one. */
function packageFault(spec: string): string | undefined {
  try {
    parsePackage(spec, 'SPEC');
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

async function askFor(session: Session, name: string, party: unknown): Promise<unknown> {
  const askForParty = await fromWing('forms')?.party();
  return completeParty(askForParty ? await askForParty(session, name, party, partyIssues) : party);
}

/** Throws `invalid_request` with every issue. */
async function saveParty(session: Session, name: string, party: unknown): Promise<void> {
  const issues = partyIssues(party);
  if (issues.length === 0) return saveByName(session, 'parties', name, party);
  const count = issues.length === 1 ? 'a problem' : `${issues.length} problems`;
  throw new Failure('invalid_request', `the party ${name} has ${count}. It was not saved`, { issues });
}

const PARCEL_EXAMPLE = ['waybill profile parcel add small 1.5kg@30x20x10cm'];

export const parcel: CommandGroup = {
  examples: [
    '# Save a parcel, and ask for the price of three of them.',
    ...PARCEL_EXAMPLE,
    'waybill quote --from TR --to DE --package 3x@small',
  ],
  commands: {
    add: [
      'save a parcel, to be used as --package @NAME, or --package 3x@NAME for three of it',
      async () => addParcel,
    ],
    ...commandsOfSaved({
      kind: 'parcels',
      example: ['small', PARCEL_EXAMPLE],
      list: 'name, package',
      columns: spec => ({ package: spec }),
      show: { table: 'its SPEC', json: 'name, package' },
      shown: (name, spec) => ({ name, package: spec }),
      view: { essential: body => [body.package], table: body => body.package },
    }),
  },
};

const addParcel = declare({
  examples: ['# Save a small box of 1.5 kg.', ...PARCEL_EXAMPLE],
  output: SILENT,
  operands: [
    operand('[name]', 'its name; a parcel of that name is replaced. Left out, it is asked for'),
    operand('[spec]', '2x1.5kg@30x20x10cm (pieces x weight each @ L x W x H)'),
  ],
  async run(session, _, typedName, typedSpec) {
    const { interactive } = session;
    const name = typedName ?? (await askForText(session, 'parcel', 'NAME', interactive, nameFault));
    refuseToSave(session, 'parcels', name);
    const spec = typedSpec ?? (await askForText(session, 'parcel', 'SPEC', interactive, packageFault));
    parsePackage(spec, 'SPEC');
    await saveByName(session, 'parcels', name, spec.trim());
  },
});

interface Description<K extends SavedKind, Shown> {
  kind: K;
  /** For examples: the name of a saved entry, and the lines that save it. */
  example: readonly [name: string, lines: readonly string[]];
  /** Names what `list` shows of each entry, for its help. */
  list: string;
  /** The columns of the list that follow the name. */
  columns(value: Saved<K>[string]): Record<string, string | null>;
  /** For `show`: words for its help, then what it prints, as data and as drawn for people. */
  show: Page['output'] & object;
  shown(name: string, value: Saved<K>[string]): Shown;
  view: View<Shown>;
}

/** The commands that parties and parcels have in common: `list`, `show` and `remove`. */
function commandsOfSaved<K extends SavedKind, Shown>(
  description: Description<K, Shown>,
): CommandGroup['commands'] {
  const { kind, example, list, columns, show, shown, view } = description;
  const [saved, lines] = example;
  const { one } = SAVED_KINDS[kind];
  const named = (verb: string) => ({
    examples: [`# Save a ${one}, and ${verb} it.`, ...lines, `waybill profile ${one} ${verb} ${saved}`],
    operands: [operand(`<${one}>`, 'its name')] as const,
  });
  return {
    list: [
      `list the saved ${kind}`,
      async () =>
        declare({
          examples: [`# All ${kind} of the current profile.`, `waybill profile ${one} list --profile demo`],
          output: { table: `one line for each ${one}`, quiet: 'their names', json: `a list of ${list}` },
          async run(session) {
            const entries: Saved<SavedKind> = owningProfile(session, kind).profile[kind] ?? {};
            const rows = Object.entries(entries).map(([name, value]) => ({
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
          },
        }),
    ],
    show: [
      `show a saved ${one}`,
      async () =>
        declare({
          ...named('show'),
          output: show,
          run: async (session, _, name) =>
            session.printer.result(shown(name, findSaved(owningProfile(session, kind), kind, name)), view),
        }),
    ],
    remove: [
      `remove a saved ${one}`,
      async () =>
        declare({
          ...named('remove'),
          output: SILENT,
          run: async (session, _, name) => removeSaved(session, kind, name),
        }),
    ],
  };
}
