// What a form leaves behind for the next time: the command without questions, the request as a file, parties, packages.

import { existsSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { typedName } from '../contract/operation.ts';
import { PARTIES } from '../contract/parties.ts';
import { getAt } from '../contract/paths.ts';
import { Failure, messageOf } from '../errors.ts';
import type { RequestParts } from '../orders/request-command.ts';
import { bodyFlags, commandLine, specOf } from '../orders/same-command.ts';
import { nameFault } from '../profile/names.ts';
import type { Choice } from '../prompts/question.ts';
import { saveByName } from '../session/saved.ts';
import type { Session } from '../session/session.ts';
import { shellWord } from '../text.ts';

/** The same command without questions, where flags can give all of it. */
export async function noteSameCommand(session: Session, parts: RequestParts, given: unknown): Promise<void> {
  const flags = bodyFlags(parts, given);
  if (flags) await session.printer.note(`without questions: \`${commandLine(session, parts, flags)}\``);
}

const ALREADY_THERE = 'It is there already; give another name';

/** Asks for a name and writes the request there; false where the person would rather not. Throws `storage`. */
export async function saveRequest(session: Session, parts: RequestParts, given: unknown): Promise<boolean> {
  const { host, printer } = session;
  const { key } = parts.otherOptions;
  const name = await session.ask({
    kind: 'text',
    id: 'file',
    message: 'File',
    defaultAnswer: `${typeof key === 'string' && /^[\w.-]+$/.test(key) ? key : parts.operation.command}.json`,
    check: text => {
      if (text.trim() === '') return 'It needs a name';
      return existsSync(resolve(host.cwd, text.trim())) ? ALREADY_THERE : undefined;
    },
  });
  if (name === undefined) return false;
  try {
    writeFileSync(resolve(host.cwd, name.trim()), `${JSON.stringify(given, undefined, 2)}\n`, { flag: 'wx' });
  } catch (error) {
    throw new Failure('storage', `the file ${name} cannot be written: ${messageOf(error)}`);
  }
  await printer.note(
    `saved; without questions: \`${commandLine(session, parts, [`-f ${shellWord(name.trim())}`])}\``,
  );
  return true;
}

interface SaveOffer extends Choice {
  save(): Promise<boolean>;
}

/** After a booking: what of it may be of use again. Nothing that happens here is a failure, as the booking is done. */
export async function offerToSave(
  session: Session,
  parts: RequestParts,
  given: unknown,
  body: unknown,
): Promise<void> {
  await noteSameCommand(session, parts, given);
  const kept = new Set<string>();
  const { parties, parcels } = session.target().profile;
  const taken = {
    parties: new Set(Object.keys(parties ?? {})),
    parcels: new Set(Object.keys(parcels ?? {})),
  };
  try {
    for (;;) {
      const left = saveOffers(session, parts, { given, body, taken }).filter(({ value }) => !kept.has(value));
      if (left.length === 0 || session.host.interrupted.aborted) return;
      const answer = await session.ask({
        kind: 'choice',
        id: 'keep',
        message: 'Keep something of it for the next time?',
        choices: [{ value: '', name: 'No, that was all' }, ...left],
      });
      const picked = left.find(({ value }) => value === answer);
      if (picked === undefined) return;
      if (await save(session, picked)) kept.add(picked.value);
    }
  } catch (error) {
    if (!(error instanceof Failure && error.code === 'interrupted')) throw error;
  }
}

async function save({ printer }: Session, picked: SaveOffer): Promise<boolean> {
  try {
    return await picked.save();
  } catch (error) {
    if (!(error instanceof Failure) || error.code === 'interrupted') throw error;
    await printer.warn(error.message);
    return false;
  }
}

interface Booked {
  given: unknown;
  body: unknown;
  /** Names that the profile has. */
  taken: { parties: Set<string>; parcels: Set<string> };
}

function saveOffers(session: Session, parts: RequestParts, { given, body, taken }: Booked): SaveOffer[] {
  const { name, profile } = session.target();
  const file = {
    value: 'file',
    name: `The request as a file, for \`${typedName(parts.operation)} -f\``,
    save: () => saveRequest(session, parts, given),
  };
  if (name === undefined) return [file];
  const saved = Object.values(profile.parties ?? {});
  const people = PARTIES.filter(role => {
    const party = getAt(given, [role]);
    return party !== undefined && !saved.some(other => isDeepStrictEqual(other, party));
  }).map(role => ({
    value: role,
    name: `The ${role}, to be used as @NAME`,
    save: () =>
      saveUnderName(session, { what: 'party', taken: taken.parties }, as =>
        saveByName(session, 'parties', as, getAt(body, [role])),
      ),
  }));
  const packages = getAt(given, ['packages']);
  const specs = (Array.isArray(packages) ? packages : []).map(specOf).filter(spec => spec !== undefined);
  const presets = Object.values(profile.parcels ?? {});
  const parcels = [...new Set(specs)]
    .filter(spec => !presets.includes(spec))
    .map(spec => ({
      value: spec,
      name: `The package ${spec}, to be used as --package @NAME`,
      save: () =>
        saveUnderName(session, { what: 'package', taken: taken.parcels }, as =>
          saveByName(session, 'parcels', as, spec),
        ),
    }));
  return [file, ...people, ...parcels];
}

async function saveUnderName(
  session: Session,
  { what, taken }: { what: string; taken: Set<string> },
  save: (name: string) => Promise<void>,
): Promise<boolean> {
  const name = await session.ask({
    kind: 'text',
    id: 'name',
    message: `Name of the ${what}`,
    check: text => nameFault(text.trim()) ?? (taken.has(text.trim()) ? ALREADY_THERE : undefined),
  });
  if (name === undefined) return false;
  await save(name.trim());
  taken.add(name.trim());
  return true;
}
