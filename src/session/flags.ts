// The flags of a command: how each is typed, what help says of it, and what its text becomes.
import type { SETTINGS } from '../profile/table.ts';

/** The type of a flag without `read`: its text, or whether it is typed. */
type Written<T extends string> = T extends `${string} ${'<' | '['}${string}` ? string : boolean;

/** The type of a flag that may be typed without its value (`--again [number]`), in that case. */
type Bare<T extends string> = T extends `${string} [${string}` ? true : never;

/** The rules of a flag, besides what is typed and its help. */
interface FlagRules<V, Name extends string> {
  /** Reads the typed text. `before`: the value, if the same flag was typed before. Throws an error that commander shows. */
  read?(text: string, before?: V): V;
  choices?: readonly (V & string)[];
  /** The names in code of flags that exclude this flag: flags of the same command (`declare`) or of the same heading (`grouped`). */
  conflicts?: readonly Name[];
  /** May the flag be typed several times? Then `read` collects the values. */
  repeats?: true;
  /** Must the flag be typed? */
  isRequired?: true;
  /** The value of a flag that is not typed. */
  initial?: V;
  /** The setting that counts if the flag is not typed: a variable, or a value in a profile. */
  setting?: keyof typeof SETTINGS;
  /** What help says of `--no-…`, which takes back what environment or profile say. `hidden`: help tells this elsewhere. */
  negative?: string;
}

/** A flag of a command. The name of the flag in the declaration is the name that commander uses: `maxPrice` for `--max-price`. */
export interface Flag<V = unknown, Name extends string = string> extends FlagRules<V, Name> {
  /** The flag as help shows it: `-f, --file <path>`. The word in brackets is the kind of the value, by which completion works. */
  typed: string;
  help: string;
  /** The heading above the flag in help. */
  group?: string;
}

export type Flags = Readonly<Record<string, Flag>>;

/** Flags that conflict only with flags of this group. */
export type Closed<F> = { readonly [K in keyof F]: Flag<unknown, Extract<keyof F, string>> };

/** Why a flag always has a value. */
type Always = { initial: unknown } | { isRequired: true };

export function flag<
  const T extends string,
  V = Written<T>,
  Name extends string = never,
  R extends Always = Always,
>(typed: T, help: string, rules: FlagRules<V, Name> & R): Flag<NoInfer<V> | Bare<T>, NoInfer<Name>> & R;
export function flag<const T extends string, V = Written<T>, Name extends string = never>(
  typed: T,
  help: string,
  rules?: FlagRules<V, Name>,
): Flag<NoInfer<V> | Bare<T>, NoInfer<Name>>;
export function flag(typed: string, help: string, rules: FlagRules<unknown, string> = {}): Flag {
  return { typed, help, ...rules };
}

/** Flags under a heading of help. */
export const grouped = <F extends Flags & Closed<F>>(group: string, flags: F): F =>
  Object.fromEntries(
    Object.entries(flags).map(([name, rules]) => [name, { group, ...rules }]),
  ) as unknown as F;

/** The type of the options of a command, made from its flags. */
export type OptionsOf<F extends Flags> = {
  -readonly [K in keyof F as F[K] extends Always ? K : never]: F[K] extends Flag<infer V> ? V : never;
} & {
  -readonly [K in keyof F as F[K] extends Always ? never : K]?: F[K] extends Flag<infer V> ? V : never;
};
