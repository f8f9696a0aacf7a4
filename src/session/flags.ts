// The flags of a command: how each is typed, what help says of it, and what its text becomes.

/** The value of a flag that nothing reads: a text, or whether it is typed. */
type Written<T extends string> = T extends `${string} ${'<' | '['}${string}` ? string : boolean;

/** The value of a flag that is typed without its value: `--again [number]`. */
type Bare<T extends string> = T extends `${string} [${string}` ? true : never;

/** What a flag may be, besides its words. */
interface FlagRules<V> {
  /** Reads the text; `before` is the value of the same flag, typed before it. Throws what commander shows. */
  read?(text: string, before?: V): V;
  choices?: readonly (V & string)[];
  /** The names in code of the flags that it does not go with. */
  conflicts?: readonly string[];
  /** May it be typed several times? Its `read` collects the values. */
  repeats?: true;
  /** Must it be typed? */
  isRequired?: true;
  /** The value of a flag that is not typed. */
  initial?: V;
  /** The variable that stands for the flag. */
  variable?: string;
  /** What `--no-…` does, which takes back what environment or profile say. `hidden`: help tells it elsewhere. */
  negative?: string;
}

/** A flag of a command. Its name in the declaration is the one that commander gives it: `maxPrice` for `--max-price`. */
export interface Flag<V = unknown> extends FlagRules<V> {
  /** As help shows it: `-f, --file <path>`. The word in brackets is the kind of its value, which completion knows. */
  typed: string;
  help: string;
  /** The heading of help above it. */
  group?: string;
}

export type Flags = Readonly<Record<string, Flag>>;

/** Why a flag always has a value. */
type Always = { initial: unknown } | { isRequired: true };

export function flag<const T extends string, V = Written<T>, R extends Always = Always>(
  typed: T,
  help: string,
  rules: FlagRules<V> & R,
): Flag<NoInfer<V> | Bare<T>> & R;
export function flag<const T extends string, V = Written<T>>(
  typed: T,
  help: string,
  rules?: FlagRules<V>,
): Flag<NoInfer<V> | Bare<T>>;
export function flag(typed: string, help: string, rules: FlagRules<unknown> = {}): Flag {
  return { typed, help, ...rules };
}

/** Flags under a heading of help. */
export const grouped = <F extends Flags>(group: string, flags: F): F =>
  Object.fromEntries(Object.entries(flags).map(([name, one]) => [name, { group, ...one }])) as unknown as F;

/** The options that the flags give. */
export type OptionsOf<F extends Flags> = {
  -readonly [K in keyof F as F[K] extends Always ? K : never]: F[K] extends Flag<infer V> ? V : never;
} & {
  -readonly [K in keyof F as F[K] extends Always ? never : K]?: F[K] extends Flag<infer V> ? V : never;
};
