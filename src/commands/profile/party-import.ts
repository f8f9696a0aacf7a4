// `profile party import`: the address book from a file, checked whole before anything is saved.
import { withoutUnread } from '../../batch/cells.ts';
import { encodingNamed } from '../../batch/encoding.ts';
import { inputFormat, openInput } from '../../batch/input.ts';
import type { FormatOptions } from '../../batch/input-flags.ts';
import { parseMap, phonesOf } from '../../batch/map.ts';
import type { ParsedRecord } from '../../batch/source.ts';
import type { Issue } from '../../contract/operation.ts';
import { savedParty } from '../../contract/parties.ts';
import { Failure } from '../../errors.ts';
import { nameFault } from '../../profile/names.ts';
import { bytesOf, readObject } from '../../session/input-files.ts';
import { ownerOf, saveAll } from '../../session/saved.ts';
import type { Session } from '../../session/session.ts';
import { shown } from '../../text.ts';
import { completeParty, partyIssues } from './party-check.ts';

export interface ImportOptions extends FormatOptions {
  map?: string;
  replace?: boolean;
}

const NAME = 'name';

/** Throws `invalid_request` with the problems of all lines, and `usage` for names that are saved already. */
export async function importParties(session: Session, options: ImportOptions, path: string): Promise<void> {
  const { host, printer } = session;
  ownerOf(session, 'parties');
  const map =
    options.map === undefined
      ? undefined
      : parseMap(await readObject(options.map, host, 'nothing was saved'), options.map);
  const file = path === '-' ? 'stdin' : path;
  const input = openInput(bytesOf(path, host), {
    format: inputFormat(path, options.format),
    name: file,
    command: 'a party',
    listing: '`waybill profile party import --help`',
    fields: savedParty,
    keyColumn: NAME,
    ...(map && { map, phones: await phonesOf(map) }),
    encoding: options.encoding === undefined ? undefined : encodingNamed(options.encoding),
    allowUnknown: false,
    onWarnings: warnings => warnings.forEach(warning => void printer.warn(warning)),
  });
  const parties = new Map<string, unknown>();
  const issues: Issue[] = [];
  for await (const raw of input.records) {
    const record = input.parse(raw);
    const party = completeParty(record.value);
    const own = withoutUnread(partyIssues(party), record);
    const found = [...record.issues, ...nameIssues(record, parties), ...own];
    issues.push(...found.map(issue => ({ ...issue, path: `line ${raw.line}: ${issue.path}` })));
    if (record.key !== undefined) parties.set(record.key, party);
  }
  refuse(file, issues);
  if (parties.size === 0) throw new Failure('invalid_request', `${file} has no party; nothing was saved`);
  await saveAll(session, 'parties', Object.fromEntries(parties), { replace: options.replace === true });
  await printer.note(`${parties.size} ${parties.size === 1 ? 'party' : 'parties'} saved; use one as @NAME`);
}

function nameIssues({ key }: ParsedRecord, before: ReadonlyMap<string, unknown>): Issue[] {
  const fault = (message: string) => [{ path: NAME, message }];
  if (key === undefined) return fault('is required: the party is used as @NAME');
  if (before.has(key))
    return fault(`is ${shown(key)}, as in a line before; each party needs a name of its own`);
  const wrong = nameFault(key);
  return wrong === undefined ? [] : fault(`is ${shown(key)}, but ${wrong}`);
}

const MAX_LISTED = 50;

function refuse(file: string, issues: readonly Issue[]): void {
  if (issues.length === 0) return;
  const { length } = issues;
  const more = length > MAX_LISTED ? `. The first ${MAX_LISTED} of them:` : '';
  throw new Failure(
    'invalid_request',
    `${file} has ${length === 1 ? 'a problem' : `${length} problems`}; nothing was saved${more}`,
    { issues: issues.slice(0, MAX_LISTED) },
  );
}
