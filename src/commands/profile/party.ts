// `profile party add` and `edit`: from a file, from --set, or from a person.
import type { Command } from 'commander';
import { formatOptions } from '../../batch/input-flags.ts';
import { fieldsOf } from '../../contract/fields.ts';
import { savedParty } from '../../contract/parties.ts';
import { Failure } from '../../errors.ts';
import { missingIn } from '../../request/validate.ts';
import { applySets } from '../../request/values.ts';
import type { Act } from '../../session/command.ts';
import { collect } from '../../session/globals.ts';
import { readObject } from '../../session/input-files.ts';
import { addPage, markdownTable, SILENT } from '../../session/page.ts';
import { findSaved, ownerOf, refuseToSave, saveByName } from '../../session/saved.ts';
import type { Session } from '../../session/session.ts';
import { completeParty, partyIssues, refuseParty } from './party-check.ts';
import type { ImportOptions } from './party-import.ts';

interface PartyOptions {
  file?: string;
  set?: string[];
}

const SET = '--set <path=value>';

/** It saves the sender of an example; pages of other commands begin with it. */
export const PARTY_EXAMPLE = [
  'waybill schema ship --example --query sender > sender.json',
  'waybill profile party add warehouse -f sender.json',
];
const INVALID = { invalid_request: 'a party is not valid. Nothing was saved' };

export function definePartyChanges(command: Command, act: Act): void {
  addPage(
    command
      .command('add')
      .description('save a party, to be used as --sender @NAME, --receiver @NAME or --invoice @NAME')
      .argument('<name>', 'its name; a party of that name is replaced')
      .option('-f, --file <path>', 'the party as a JSON object; - is stdin')
      .option(SET, 'a field by its path, such as address.city=Berlin; repeatable', collect),
    { examples: ['# Save the sender of an example.', ...PARTY_EXAMPLE], output: SILENT, exits: INVALID },
  ).action(act<PartyOptions>(add));
  addPage(
    command
      .command('edit')
      .description('change a saved party: in a form on a terminal, or with --set')
      .argument('<name>', 'its name')
      .option(SET, 'a field by its path, such as phone.number=5550101; repeatable', collect),
    {
      examples: [
        '# Save a party, and change its city.',
        ...PARTY_EXAMPLE,
        'waybill profile party edit warehouse --set address.city=Ankara',
      ],
      output: SILENT,
      exits: INVALID,
    },
  ).action(act<PartyOptions>(edit));
  const columns = fieldsOf(savedParty).filter(({ kind }) => kind !== 'object');
  addPage(
    formatOptions(
      command
        .command('import')
        .description('save the parties of a file: all of them, or none')
        .argument('<file>', 'CSV, a JSON array or JSON lines, each with its name; - is stdin')
        .option('--map <file>', 'JSON that renames and transforms the columns, as for a batch')
        .option('--replace', 'replace the parties whose names are saved already'),
    ),
    {
      examples: [
        '# Two customers.',
        "printf 'name,firstName,lastName,email,phone.code,phone.number,address.line1,address.city,address.zipCode,address.country.code\\nanna,Anna,Beispiel,anna@example.com,+49,3515550100,Hauptstr. 7,Dresden,01067,DE\\nmax,Max,Muster,max@example.com,+43,15550100,Ring 1,Wien,1010,AT\\n' > book.csv",
        'waybill profile party import book.csv --replace',
      ],
      output: SILENT,
      exits: INVALID,
      notes: `## Columns\n\n${markdownTable([
        ['name', 'the party is used as @NAME'],
        ...columns.map(({ pattern, description }) => [pattern, description] as const),
      ])}`,
    },
  ).action(
    act<ImportOptions>(async (session, options, file: string) => {
      const { importParties } = await import('./party-import.ts');
      await importParties(session, options, file);
    }),
  );
}

async function add(session: Session, { file, set = [] }: PartyOptions, name: string): Promise<void> {
  refuseToSave(session, 'parties', name);
  const mayAsk = session.interactive && file !== '-';
  if (file === undefined && set.length === 0 && !mayAsk)
    throw new Failure(
      'usage',
      `nothing says who ${name} is. Give a file, \`waybill profile party add ${name} -f FILE\`, or fields with --set; on a terminal it asks. Nothing was saved`,
    );
  const read = file === undefined ? {} : await readObject(file, session.host, 'nothing was saved');
  const party = completeParty(applySets(savedParty, read, set));
  const issues = partyIssues(party);
  const isUnfinished = issues.length > 0 && missingIn(issues, party).length === issues.length;
  if (mayAsk && isUnfinished) return askAndSave(session, name, party);
  refuseParty(name, party);
  await saveByName(session, 'parties', name, party);
}

async function edit(session: Session, { set = [] }: PartyOptions, name: string): Promise<void> {
  const saved = findSaved(ownerOf(session, 'parties'), 'parties', name);
  if (set.length === 0 && session.interactive) return askAndSave(session, name, saved);
  if (set.length === 0)
    throw new Failure(
      'usage',
      `nothing says what to change, and prompts are off: \`waybill profile party edit ${name} --set address.city=Berlin\`. Nothing was saved`,
    );
  const party = completeParty(applySets(savedParty, saved, set));
  refuseParty(name, party);
  await saveByName(session, 'parties', name, party);
}

async function askAndSave(session: Session, name: string, party: unknown): Promise<void> {
  const { askForParty } = await import('../../forms/party.ts');
  const answered = completeParty(await askForParty(session, name, party, partyIssues));
  refuseParty(name, answered);
  await saveByName(session, 'parties', name, answered);
}
