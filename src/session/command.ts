import type { Session } from './session.ts';

/** The effect of a command: options and operands in; gives a number only where the exit code is not ours to choose. */
export type Run<O> = (session: Session, options: O, ...operands: never[]) => Promise<unknown>;

/** Makes of it what commander calls; `program` opens the session and takes care of the rest. */
export type Act = <O>(run: Run<O>) => (...args: unknown[]) => Promise<void>;
