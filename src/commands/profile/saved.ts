// `profile party` and `profile parcel`: what a profile saves by name.
import type { Command } from 'commander';
import { textAt } from '../../contract/paths.ts';
import type { View } from '../../output/print.ts';
import { safeJson } from '../../output/safe.ts';
import { anyTable, table } from '../../output/table.ts';
import { parsePackage } from '../../request/specs.ts';
import { type Act, groupHelp } from '../../session/command.ts';
import { addPage, type Page, SILENT } from '../../session/page.ts';
import {
  findSaved,
  ownerOf,
  refuseToSave,
  removeSaved,
  SAVED_KINDS,
  type Saved,
  type SavedKind,
  saveByName,
} from '../../session/saved.ts';
import type { Session } from '../../session/session.ts';
import { definePartyChanges, PARTY_EXAMPLE } from './party.ts';

export const objectView: View<unknown> = {
  essential: body => [safeJson(body)],
  table: (body, look) => anyTable(look, body),
};

export function defineParty(command: Command, act: Act): void {
  definePartyChanges(command, act);
  defineOthers(command, act, {
    kind: 'parties',
    columns: party => ({
      person: `${textAt(party, ['firstName']) ?? ''} ${textAt(party, ['lastName']) ?? ''}`.trim(),
      city: textAt(party, ['address', 'city']) ?? null,
      country: textAt(party, ['address', 'country', 'code']) ?? null,
    }),
    shown: (_, party) => party,
    view: objectView,
    page: {
      example: ['warehouse', PARTY_EXAMPLE],
      list: 'a list of name, person, city, country',
      show: {
        table: 'one line for each field',
        quiet: 'the JSON in one line',
        json: 'the party as in a request',
      },
    },
  });
  addPage(command, {
    examples: [
      '# Save the warehouse, and use it as the sender.',
      ...PARTY_EXAMPLE,
      'waybill schema ship --example > order.json',
      'waybill ship -f order.json --sender @warehouse --dry-run',
    ],
  });
}

const PARCEL_EXAMPLE = ['waybill profile parcel add small 1.5kg@30x20x10cm'];

export function defineParcel(command: Command, act: Act): void {
  addPage(
    command
      .command('add')
      .description('save a parcel, to be used as --package @NAME, or --package 3x@NAME for three of it')
      .argument('<name>', 'its name; a parcel of that name is replaced')
      .argument('<spec>', '2x1.5kg@30x20x10cm (pieces x weight each @ L x W x H)'),
    { examples: ['# Save a small box of 1.5 kg.', ...PARCEL_EXAMPLE], output: SILENT },
  ).action(act<object>(addParcel));
  defineOthers(command, act, {
    kind: 'parcels',
    columns: spec => ({ package: spec }),
    shown: (name, spec) => ({ name, package: spec }),
    view: { essential: body => [body.package], table: body => body.package },
    page: {
      example: ['small', PARCEL_EXAMPLE],
      list: 'a list of name, package',
      show: { table: 'its SPEC', quiet: 'its SPEC', json: 'name, package' },
    },
  });
  addPage(command, {
    examples: [
      '# Save a parcel, and ask for the price of three of them.',
      ...PARCEL_EXAMPLE,
      'waybill quote --from TR --to DE --package 3x@small',
    ],
  });
}

async function addParcel(session: Session, _: object, name: string, spec: string): Promise<void> {
  refuseToSave(session, 'parcels', name);
  parsePackage(spec, 'SPEC');
  await saveByName(session, 'parcels', name, spec.trim());
}

interface Description<K extends SavedKind, Shown> {
  kind: K;
  /** Of the list: the columns that follow the name. */
  columns(value: Saved<K>[string]): Record<string, string | null>;
  shown(name: string, value: Saved<K>[string]): Shown;
  view: View<Shown>;
  page: {
    /** The name of one that is saved, and what saves it. */
    example: readonly [name: string, lines: readonly string[]];
    /** The JSON of the list. */
    list: string;
    show: Page['output'] & object;
  };
}

/** Defines `list`, `show` and `remove`; to be called after `add` is defined. */
function defineOthers<K extends SavedKind, Shown>(
  command: Command,
  act: Act,
  { kind, columns, shown, view, page }: Description<K, Shown>,
): void {
  const { one } = SAVED_KINDS[kind];
  const ofNamed = (name: string, summary: string) =>
    command.command(name).description(summary).argument('<name>', 'its name');

  async function list(session: Session): Promise<void> {
    const saved: Saved<SavedKind> = ownerOf(session, kind).profile[kind] ?? {};
    const rows = Object.entries(saved).map(([name, value]) => ({
      name,
      ...columns(value as Saved<K>[string]),
    }));
    await session.printer.result(rows, {
      essential: all => all.map(({ name }) => name),
      table: async ([first, ...rest], look) =>
        first === undefined
          ? `No ${kind} are saved.`
          : table(look, { head: Object.keys(first), rows: [first, ...rest].map(row => Object.values(row)) }),
    });
  }

  async function show(session: Session, _: object, name: string): Promise<void> {
    await session.printer.result(shown(name, findSaved(ownerOf(session, kind), kind, name)), view);
  }

  const [name, lines] = page.example;
  const examples = (what: string, words: string) => [
    `# Save a ${one}, and ${what}.`,
    ...lines,
    `waybill profile ${one} ${words}`,
  ];
  addPage(command.command('list').description(`list the saved ${kind}`), {
    examples: examples(`list all saved ${kind}`, 'list'),
    output: { table: `one line for each ${one}`, quiet: 'their names', json: page.list },
  }).action(act<object>(list));
  addPage(ofNamed('show', `show a saved ${one}`), {
    examples: examples('show it', `show ${name}`),
    output: page.show,
  }).action(act<object>(show));
  addPage(ofNamed('remove', `remove a saved ${one}`), {
    examples: examples('remove it', `remove ${name}`),
    output: SILENT,
  }).action(act<object>(async (session, _: object, saved: string) => removeSaved(session, kind, saved)));
  groupHelp(command);
}
