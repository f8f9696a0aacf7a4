import type { Layers, RequestParts } from '../orders/request-command.ts';
import type { Session } from '../session/session.ts';
import type { Form } from './engine/form.ts';

/** What a form gives to its command. */
export interface Answers {
  layers: Layers;
  /** Options that a draft was begun with; the command has not got them again. */
  options: Readonly<Record<string, unknown>>;
  /** The proposals for this body, which the person has seen. */
  proposals?: unknown;
}

/** A form, and what it has learnt from the service while it asked. */
export interface Interview {
  form: Form;
  /** The proposals for the whole body, if there are some. */
  proposals?(body: unknown): unknown;
}

/** Makes the form of a command; `begun` is the body when it starts. */
export type MakeInterview = (session: Session, parts: RequestParts, begun: unknown) => Interview;
