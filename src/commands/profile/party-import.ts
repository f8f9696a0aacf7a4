// `profile party import`: the address book from a file, checked whole before anything is saved.

import { loadShops } from '../../batch/built-in-maps.ts';
import { withoutUnread } from '../../batch/cells.ts';
import { encodingNamed } from '../../batch/encoding.ts';
import { inputFormat, openRecords } from '../../batch/input.ts';
import { FORMAT_FLAGS } from '../../batch/input-types.ts';
import { readersForMap, readMap } from '../../batch/read-map.ts';
import { fieldsOf, type Issue } from '../../contract/shapes.ts';
import { savedParty } from '../../contract/shipments.ts';
import { Failure } from '../../errors.ts';
import { nameFault } from '../../profile/store.ts';
import { declare, operand, SILENT } from '../../session/command.ts';
import { inputBytes } from '../../session/files.ts';
import { flag, type OptionsOf } from '../../session/flags.ts';
import { owningProfile, type Session, saveParties } from '../../session/session.ts';
import { shown } from '../../text.ts';
import { completeParty, PARTY_EXITS, partyIssues } from './party-check.ts';

const FLAGS = {
  map: flag('--map <file>', 'JSON that renames and transforms the columns, as for a batch'),
  replace: flag('--replace', 'replace the parties whose names are saved already'),
  ...FORMAT_FLAGS,
};

type ImportOptions = OptionsOf<typeof FLAGS>;

const NAME = 'name';
const COLUMNS = fieldsOf(savedParty).filter(({ kind }) => kind !== 'object');

export const command = declare({
  examples: [
    '# The sender of an example.',
    `waybill schema ship --example --query "[merge(sender, {name: 'anna'})]" > book.json`,
    'waybill profile party import book.json --replace',
  ],
  output: SILENT,
  exits: PARTY_EXITS,
  notes: {
    Columns: [
      [NAME, 'the party is used as @NAME'],
      ...COLUMNS.map(({ pattern, description }) => [pattern, description] as const),
    ],
  },
  operands: [operand('<file>', 'CSV, a JSON array or JSON lines, each with its name; - is stdin')],
  flags: FLAGS,
  run: importParties,
});

/** Throws `invalid_request` with the problems of all lines, and `usage` for names that are saved already. */
async function importParties(session: Session, options: ImportOptions, path: string): Promise<void> {
  const { host, printer } = session;
  owningProfile(session, 'parties');
  const map = options.map === undefined ? undefined : await readMap(options.map, host);
  const file = path === '-' ? 'stdin' : path;
  const input = openRecords(inputBytes(path, host), {
    format: inputFormat(path, options.format),
    name: file,
    command: 'a party',
    listing: '`waybill profile party import --help`',
    fields: savedParty,
    keyColumn: NAME,
    ...(map && { map, ...(await readersForMap(map)) }),
    shops: await loadShops(),
    encoding: options.encoding === undefined ? undefined : encodingNamed(options.encoding),
    allowUnknown: false,
    onWarnings: warnings => warnings.forEach(warning => void printer.warn(warning)),
  });
  const parties = new Map<string, unknown>();
  const issues: Issue[] = [];
  for await (const raw of input.records) {
    const record = input.parse(raw);
    const { key } = record;
    const party = await completeParty(record.value);
    const fault = faultOfName(key, parties);
    const problems = [
      ...record.issues,
      ...(fault === undefined ? [] : [{ path: NAME, message: fault }]),
      ...withoutUnread(partyIssues(party), record),
    ];
    issues.push(...problems.map(issue => ({ ...issue, path: `line ${raw.line}: ${issue.path}` })));
    if (key !== undefined) parties.set(key, party);
  }
  // With --strict, warnings are errors.
  issues.push(...printer.warnings.map(message => ({ path: '', message })));
  const refuse = (why: string) =>
    new Failure('invalid_request', `${file} has ${why}`, { issues: issues.slice(0, MAX_LISTED) });
  if (issues.length > 0)
    throw refuse(
      `${issues.length === 1 ? 'a problem' : `${issues.length} problems`}; nothing was saved${issues.length > MAX_LISTED ? `. The first ${MAX_LISTED} of them:` : ''}`,
    );
  if (parties.size === 0) throw refuse('no party; nothing was saved');
  await saveParties(session, Object.fromEntries(parties), options.replace === true);
  await printer.note(`${parties.size} ${parties.size === 1 ? 'party' : 'parties'} saved; use one as @NAME`);
}

const MAX_LISTED = 50;

function faultOfName(name: string | undefined, before: ReadonlyMap<string, unknown>): string | undefined {
  if (name === undefined) return 'is required: the party is used as @NAME';
  if (before.has(name)) return `is ${shown(name)}, as in a line before; each party needs a name of its own`;
  const fault = nameFault(name);
  return fault && `is ${shown(name)}, but ${fault}`;
}
