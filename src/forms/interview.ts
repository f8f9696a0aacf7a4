import type { Gathered, RequestParts } from '../orders/request.ts';
import type { Session } from '../session/session.ts';
import type { Form } from './engine/form.ts';

/** What a command goes by once a person was, or need not be, asked. */
export interface Answers {
  gathered: Gathered;
  /** The service's proposals for just this, which the person has seen. */
  proposals?: unknown;
}

/** A form, and what it has learnt of the service while it asked. */
export interface Interview {
  form: Form;
  /** The proposals for the whole body, where it has them. */
  proposals?(body: unknown): unknown;
}

/** Makes the form of a command; `begun` is what there is of the body when it starts. */
export type MakeInterview = (session: Session, parts: RequestParts, begun: unknown) => Interview;
