// Parties and parcels that a profile saves by name, to be used as `@name`.
import { Failure } from '../errors.ts';
import { didYouMean } from '../nearest.ts';
import { changeConfig, type Profile, profileOrDemo, refuseBadName } from '../profile/store.ts';
import type { Session } from '../session/session.ts';
import { someOf } from '../text.ts';

export const SAVED_KINDS = {
  parties: { one: 'party', option: '', add: 'waybill profile party add NAME -f FILE' },
  parcels: { one: 'parcel', option: '--package ', add: 'waybill profile parcel add NAME 1.5kg@30x20x10cm' },
} as const;

export type SavedKind = keyof typeof SAVED_KINDS;
export type Saved<K extends SavedKind> = NonNullable<Profile[K]>;

interface Owner {
  profile: Profile;
  /** Absent if the environment stands in for a profile. */
  name?: string | undefined;
}

/** What is saved under a name; `askedBy` begins the message. Throws `usage`, naming what there is. */
export function findSaved<K extends SavedKind>(
  { profile, name: owner = '(none)' }: Owner,
  kind: K,
  name: string,
  askedBy = '',
): Saved<K>[string] {
  const all: Saved<SavedKind> = profile[kind] ?? {};
  if (Object.hasOwn(all, name)) return all[name] as Saved<K>[string];
  const names = Object.keys(all);
  throw new Failure(
    'usage',
    `${askedBy}the profile ${owner} has no ${SAVED_KINDS[kind].one} ${JSON.stringify(name)}${didYouMean(name, names)}; it has ${someOf(names) || 'none'}. Add one: \`${SAVED_KINDS[kind].add}\``,
  );
}

/** The profile that saves them. Throws `usage`. */
export function owningProfile(session: Session, kind: SavedKind): Required<Owner> & { name: string } {
  const { name } = session.target();
  if (name === undefined)
    throw new Failure('usage', `${kind} are saved in a profile: name one with --profile`);
  return { name, profile: profileOrDemo(session, name) };
}

/** Throws `usage` if there is no profile to save it in, or the name cannot be used. */
export function refuseToSave(session: Session, kind: SavedKind, name: string): void {
  refuseBadName(name, `a ${SAVED_KINDS[kind].one}`);
  owningProfile(session, kind);
}

/** Saves it under the name, and replaces what is there. Throws `usage`, `storage`. */
export async function saveByName<K extends SavedKind>(
  session: Session,
  kind: K,
  name: string,
  value: Saved<K>[string],
): Promise<void> {
  const { one, option } = SAVED_KINDS[kind];
  refuseToSave(session, kind, name);
  await change(session, kind, saved => ({ ...saved, [name]: value }));
  await session.printer.note(`${one} ${name} saved; use it as ${option}@${name}`);
}

/** Saves all of them or none. Throws `usage` for names that are taken, unless they are to be replaced; `storage`. */
export async function saveAll<K extends SavedKind>(
  session: Session,
  kind: K,
  values: Saved<K>,
  { replace }: { replace: boolean },
): Promise<void> {
  await change(session, kind, saved => {
    const taken = Object.keys(values).filter(name => Object.hasOwn(saved, name));
    if (taken.length === 0 || replace) return { ...saved, ...values };
    throw new Failure(
      'usage',
      `${taken.length} of these ${kind} ${taken.length === 1 ? 'is' : 'are'} saved already: ${someOf(taken)}. Nothing was saved; --replace replaces them`,
    );
  });
}

/** Throws `usage` if there is none of that name. */
export async function removeSaved(session: Session, kind: SavedKind, name: string): Promise<void> {
  findSaved(owningProfile(session, kind), kind, name);
  await change(session, kind, ({ [name]: _, ...rest }) => rest);
  await session.printer.note(`${SAVED_KINDS[kind].one} ${name} removed`);
}

async function change(
  session: Session,
  kind: SavedKind,
  changed: (saved: Saved<SavedKind>) => Saved<SavedKind>,
): Promise<void> {
  const { name } = owningProfile(session, kind);
  await changeConfig(session.host, config => {
    const profile = config.profiles[name] ?? {};
    const next = { ...profile, [kind]: changed(profile[kind] ?? {}) } as Profile;
    return { ...config, profiles: { ...config.profiles, [name]: next } };
  });
}
