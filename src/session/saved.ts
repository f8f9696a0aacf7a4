// Parties and parcels: how they get into a profile, and out of it.
import { Failure } from '../errors.ts';
import { refuseNoName, requireProfile } from '../profile/names.ts';
import { changeConfig, type Profile } from '../profile/store.ts';
import { DEMO } from '../profile/target.ts';
import { KEPT, type Kept, type Kind, keptIn } from './saved-kinds.ts';
import type { Session } from './session.ts';

interface Keeper {
  profile: Profile;
  name: string;
}

/** The profile that is meant: it has to be one that is kept. Throws `usage`. */
export function keeperOf(session: Session, kind: Kind): Keeper {
  const { name } = session.target();
  if (name === undefined)
    throw new Failure('usage', `${kind} are kept in a profile: name one with --profile`);
  const profile = Object.hasOwn(session.config.profiles, name) ? session.config.profiles[name] : undefined;
  return { name, profile: profile ?? (name === DEMO ? {} : requireProfile(session, name)) };
}

/** Throws `usage` where there is no profile to keep it, or the name is none. */
export function refuseToKeep(session: Session, kind: Kind, name: string): void {
  refuseNoName(name, `a ${KEPT[kind].one}`);
  keeperOf(session, kind);
}

/** Keeps it under the name, in the place of what is there. */
export async function keep<K extends Kind>(
  session: Session,
  kind: K,
  name: string,
  value: Kept<K>[string],
): Promise<void> {
  refuseToKeep(session, kind, name);
  await change(session, kind, kept => ({ ...kept, [name]: value }));
}

/** Keeps a SPEC of `--package` in the profile. Throws `usage`, `storage`. */
export async function saveParcel(session: Session, name: string, spec: string): Promise<void> {
  await keep(session, 'parcels', name, spec);
  await session.printer.note(`parcel ${name} saved; use it as --package @${name}`);
}

/** Keeps a party in the profile. Throws `usage`, `storage`. */
export async function saveParty(session: Session, name: string, party: unknown): Promise<void> {
  await keep(session, 'parties', name, party);
  await session.printer.note(`party ${name} saved; use it as @${name}`);
}

/** Throws `usage` where there is none of that name. */
export async function forget(session: Session, kind: Kind, name: string): Promise<void> {
  keptIn(keeperOf(session, kind), kind, name);
  await change(session, kind, ({ [name]: _gone, ...rest }) => rest);
  await session.printer.note(`${KEPT[kind].one} ${name} removed`);
}

async function change(session: Session, kind: Kind, made: (kept: Kept<Kind>) => Kept<Kind>): Promise<void> {
  const { name } = keeperOf(session, kind);
  await changeConfig(session.host, config => {
    const profile = config.profiles[name] ?? {};
    return {
      ...config,
      profiles: { ...config.profiles, [name]: { ...profile, [kind]: made(profile[kind] ?? {}) } as Profile },
    };
  });
}
