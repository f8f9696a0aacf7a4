// The flags of a command: how each is typed, what help says of it, and what its text becomes.
import type { SETTINGS } from '../profile/table.ts';

/** The value of a flag that nothing reads: a text, or whether it is typed. */
type Written<T extends string> = T extends `${string} ${'<' | '['}${string}` ? string : boolean;

/** The value of a flag that is typed without its value: `--again [number]`. */
type Bare<T extends string> = T extends `${string} [${string}` ? true : never;

/** What a flag may be, besides its words. */
interface FlagRules<V, Name extends string> {
  /** Reads the text; `before` is the value of the same flag, typed before it. Throws what commander shows. */
  read?(text: string, before?: V): V;
  choices?: readonly (V & string)[];
  /** The names in code of the flags that it does not go with: others of its command (`declare`), or of its heading (`grouped`). */
  conflicts?: readonly Name[];
  /** May it be typed several times? Its `read` collects the values. */
  repeats?: true;
  /** Must it be typed? */
  isRequired?: true;
  /** The value of a flag that is not typed. */
  initial?: V;
  /** The setting that stands for the flag: its variable, or what a profile says. */
  setting?: keyof typeof SETTINGS;
  /** What `--no-…` does, which takes back what environment or profile say. `hidden`: help tells it elsewhere. */
  negative?: string;
}

/** A flag of a command. Its name in the declaration is the one that commander gives it: `maxPrice` for `--max-price`. */
export interface Flag<V = unknown, Name extends string = string> extends FlagRules<V, Name> {
  /** As help shows it: `-f, --file <path>`. The word in brackets is the kind of its value, which completion knows. */
  typed: string;
  help: string;
  /** The heading of help above it. */
  group?: string;
}

export type Flags = Readonly<Record<string, Flag>>;

/** Flags that go against none but each other. */
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

/** The options that the flags give. */
export type OptionsOf<F extends Flags> = {
  -readonly [K in keyof F as F[K] extends Always ? K : never]: F[K] extends Flag<infer V> ? V : never;
} & {
  -readonly [K in keyof F as F[K] extends Always ? never : K]?: F[K] extends Flag<infer V> ? V : never;
};
