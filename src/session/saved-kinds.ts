import { Failure } from '../errors.ts';
import { nearest } from '../nearest.ts';
import type { Profile } from '../profile/store.ts';

/** What a profile keeps by name, to be used as `@name`. */
export const KEPT = {
  parties: { one: 'party', add: 'waybill profile party add NAME -f FILE' },
  parcels: { one: 'parcel', add: 'waybill profile parcel add NAME 1.5kg@30x20x10cm' },
} as const;

export type Kind = keyof typeof KEPT;
export type Kept<K extends Kind> = NonNullable<Profile[K]>;

interface Keeper {
  profile: Profile;
  /** Absent where the environment stands for a profile. */
  name?: string | undefined;
}

/** What is kept under a name; `asked` is who wanted it. Throws `usage`, naming what there is. */
export function keptIn<K extends Kind>(
  { profile, name: keeper = '(none)' }: Keeper,
  kind: K,
  name: string,
  asked = '',
): Kept<K>[string] {
  const all: Kept<Kind> = profile[kind] ?? {};
  if (Object.hasOwn(all, name)) return all[name] as Kept<K>[string];
  const names = Object.keys(all);
  const guess = nearest(name, names);
  throw new Failure(
    'usage',
    `${asked}the profile ${keeper} keeps no ${KEPT[kind].one} ${JSON.stringify(name)}${guess === undefined ? '' : ` (did you mean ${guess}?)`}; it keeps ${names.join(', ') || 'none'}. Add one: ${KEPT[kind].add}`,
  );
}
