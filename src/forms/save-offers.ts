// What a form leaves for the next time: the command without questions, the request as a file, its parties and packages.
import { existsSync, writeFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { typedName } from '../contract/operation.ts';
import { PARTIES } from '../contract/parties.ts';
import { getAt, isRecord, listAt } from '../contract/paths.ts';
import { Failure, messageOf } from '../errors.ts';
import { absolutePath } from '../host/folder.ts';
import type { RequestParts } from '../order/build.ts';
import { bodyFlags, commandLine, specOf } from '../order/command-line.ts';
import { withoutTotals } from '../order/complete.ts';
import { nameFault, SAVED_KINDS, type Saved, type SavedKind } from '../profile/store.ts';
import { shellWord } from '../text.ts';
import { isDraft } from './draft.ts';
import type { Desk } from './form.ts';

/** Notes the same command without questions, if flags can give the whole request. */
export async function noteSameCommand(desk: Desk, parts: RequestParts, given: unknown): Promise<void> {
  const flags = bodyFlags(parts, given);
  if (flags) await desk.printer.note(`to run this without questions: \`${commandLine(desk, parts, flags)}\``);
}

const TAKEN = 'This name is taken. Give another one';

/** Asks for a name and writes the request there; false: the person went back. Throws `storage`. */
export async function saveRequest(desk: Desk, parts: RequestParts, given: unknown): Promise<boolean> {
  const { host, printer } = desk;
  const { key } = parts.otherOptions;
  const answer = await desk.ask({
    kind: 'text',
    id: 'file',
    message: 'File',
    defaultAnswer: `${typeof key === 'string' && /^[\w.-]+$/.test(key) ? key : parts.operation.command}.json`,
    check(text) {
      if (text.trim() === '') return 'A name is required';
      return existsSync(absolutePath(text.trim(), host)) ? TAKEN : undefined;
    },
  });
  if (answer === undefined) return false;
  const name = answer.trim();
  try {
    writeFileSync(absolutePath(name, host), `${JSON.stringify(given, undefined, 2)}\n`, { flag: 'wx' });
  } catch (error) {
    throw new Failure('storage', `the file ${name} cannot be written: ${messageOf(error)}`);
  }
  const command = commandLine(desk, parts, [`-f ${shellWord(name)}`]);
  await printer.note(`saved; to run this without questions: \`${command}\``);
  return true;
}

/** Asks for a name that is not in use, and saves the value under it; false: the person went back. */
async function saveAs<K extends SavedKind>(
  desk: Desk,
  kind: K,
  taken: Set<string>,
  value: Saved<K>[string],
): Promise<boolean> {
  const answer = await desk.ask({
    kind: 'text',
    id: 'name',
    message: `Name of the ${SAVED_KINDS[kind].one}`,
    check: text => nameFault(text.trim()) ?? (taken.has(text.trim()) ? TAKEN : undefined),
  });
  if (answer === undefined) return false;
  await desk.save(kind, answer.trim(), value);
  taken.add(answer.trim());
  return true;
}

/** After a booking: offers to save what may be used again. Nothing here is a failure, because the booking is made. */
export async function offerToSave(
  desk: Desk,
  parts: RequestParts,
  given: unknown,
  body: unknown,
): Promise<void> {
  let offers = saveOffers(desk, parts, given, body);
  while (offers.length > 0 && !desk.host.interrupted.aborted)
    try {
      const answer = await desk.ask({
        kind: 'choice',
        id: 'keep',
        message: 'Save something for next time?',
        choices: [{ value: '', name: 'No, that was all' }, ...offers],
        esc: 'leave',
      });
      const picked = offers.find(({ value }) => value === answer);
      if (picked === undefined) return;
      if (await picked.save()) offers = offers.filter(offer => offer !== picked);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (error.code === 'interrupted') return;
      await desk.printer.warn(error.message);
    }
}

// Picked from a list: that needs no saving.
const PICKED = ['carrier', 'carriers', 'chargeableWeight', 'label', 'international', 'domestic'];

function saveOffers(desk: Desk, parts: RequestParts, given: unknown, body: unknown) {
  const { name: owner, profile } = desk.target();
  const { parties = {}, parcels = {} } = profile;
  // A draft was typed, too.
  const before = isDraft(desk.host, parts.file) ? {} : withoutTotals(parts.layers.given);
  const names = Object.keys(isRecord(given) ? given : {}).filter(
    name => !PICKED.includes(name) && !isDeepStrictEqual(getAt(given, [name]), getAt(before, [name])),
  );
  const isNew = (saved: object, value: unknown) =>
    value !== undefined && !Object.values(saved).some(other => isDeepStrictEqual(other, value));
  const partyNames = new Set(Object.keys(parties));
  const parcelNames = new Set(Object.keys(parcels));
  const file = {
    value: 'file',
    name: `The request as a file, for \`waybill ${typedName(parts.operation)} -f\``,
    save: () => saveRequest(desk, parts, given),
  };
  if (names.length === 0) return [];
  // Without a profile there is no place for the others.
  if (owner === undefined) return [file];
  const ofParties = PARTIES.filter(role => names.includes(role) && isNew(parties, getAt(given, [role]))).map(
    role => ({
      value: role,
      name: `The ${role}, to be used as @NAME`,
      save: () => saveAs(desk, 'parties', partyNames, getAt(body, [role])),
    }),
  );
  const specs = names.includes('packages') ? new Set(listAt(given, 'packages').map(specOf)) : [];
  const ofPackages = [...specs]
    .filter(spec => isNew(parcels, spec))
    .map((spec = '') => ({
      value: spec,
      name: `The package ${spec}, to be used as --package @NAME`,
      save: () => saveAs(desk, 'parcels', parcelNames, spec),
    }));
  return [file, ...ofParties, ...ofPackages];
}
