import type { Layers, RequestParts } from '../orders/request-command.ts';
import type { Session } from '../session/session.ts';
import type { Form } from './engine/form.ts';

/** What a form gives to its command. */
export interface Answers {
  layers: Layers;
  /** Options of the draft, which the command line does not repeat. */
  options: Readonly<Record<string, unknown>>;
  /** The proposals for this body, which the person has seen. */
  proposals?: unknown;
}

/** Makes the form of a command; `start` is the body before the first question. */
export type MakeForm = (session: Session, parts: RequestParts, start: unknown) => Form;
