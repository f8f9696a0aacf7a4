import type { Issue, Leg } from '../contract/operation.ts';
import type { Store } from '../sqlite.ts';
import type { World } from './wire.ts';

/** The request that an effect gets: it is valid and allowed. */
export interface EffectInput {
  store: Store;
  world: World;
  /** The values of the path's placeholders. */
  parameters: Readonly<Record<string, string>>;
  /** Checked against schema and rules of the row. */
  body: unknown;
  allows(scope: string): boolean;
  /** The address of this world, for links. */
  base: string;
  failLabels: ReadonlySet<Leg>;
  /** Milliseconds since 1970. */
  now: number;
  random(): number;
}

/** `invalid`: 422 if the row lists it, else 400. `absent`: there is no such thing (404). */
export type EffectResult = { body: unknown } | { refused: 'invalid' | 'absent'; issues: Issue[] };

/** Carries out an operation, in a transaction of its own. */
export type Effect = (call: EffectInput) => EffectResult;

export const invalid = (path: string, message: string): EffectResult => ({
  refused: 'invalid',
  issues: [{ path, message }],
});

export const notFound: EffectResult = { refused: 'absent', issues: [] };

export const isoDate = (ms: number): string => new Date(ms).toISOString();
