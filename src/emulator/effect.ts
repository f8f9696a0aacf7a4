import type { Issue } from '../contract/operation.ts';
import type { Store } from './store.ts';
import type { Leg, World } from './wire.ts';

/** What an effect is given: a request that is well-formed and allowed. */
export interface Call {
  store: Store;
  world: World;
  /** The values of the path's placeholders. */
  parameters: Readonly<Record<string, string>>;
  /** Already held against the row's schema and rules. */
  body: unknown;
  allows(scope: string): boolean;
  /** The address of this world, for links. */
  base: string;
  failLabels: ReadonlySet<Leg>;
  /** Milliseconds since 1970. */
  now: number;
  random(): number;
}

/** `invalid`: the data does not do (422 where the row has it, else 400). `absent`: there is no such thing (404). */
export type EffectResult = { body: unknown } | { refused: 'invalid' | 'absent'; issues: Issue[] };

/** Does what an operation does; runs in a transaction of its own. */
export type Effect = (call: Call) => EffectResult;

export const invalid = (path: string, message: string): EffectResult => ({
  refused: 'invalid',
  issues: [{ path, message }],
});

export const absent: EffectResult = { refused: 'absent', issues: [] };

export const isoDate = (ms: number): string => new Date(ms).toISOString();
