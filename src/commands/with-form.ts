import { bodyOf } from '../contract/operation.ts';
import { Failure } from '../errors.ts';
import { complete } from '../request/complete.ts';
import { missingIn } from '../request/validate.ts';
import type { Answers, MakeInterview } from './interview.ts';
import { faultsOf, type Gathered, gather, type RequestOptions, type RequestParts } from './request.ts';
import type { Session } from './session.ts';

interface Asking {
  parts(): Promise<RequestParts>;
  /** Loaded only where something has to be asked. */
  interview(): Promise<MakeInterview>;
  /** Throws where no answer could be of use. */
  before?(): Promise<void>;
}

/**
 * Runs a command; where the request lacks something and a person may be asked, a form asks for it first. What is wrong,
 * and not only missing, is left to the command to refuse.
 */
export async function withForm(
  session: Session,
  { draft }: RequestOptions,
  { parts: makeParts, interview, before }: Asking,
  run: (answers?: Answers) => Promise<void>,
): Promise<void> {
  if (!session.interactive) {
    if (draft)
      throw new Failure(
        'usage',
        '--draft goes on with a form, and nobody may be asked here; nothing was sent',
      );
    return run();
  }
  const parts = await makeParts();
  // Gathered once: what a pipe gave is not there a second time.
  const gathered = await gather(session, draft ? unset(parts) : parts);
  if (!draft && !(await lacks(session, parts, gathered))) return run({ gathered });
  await before?.();
  const { converse } = await import('./conversation.ts');
  return converse(session, parts, gathered, await interview(), run);
}

/** `--set` reaches inside of what the draft has, and so is left to whoever has it. */
const unset = (parts: RequestParts): RequestParts => ({ ...parts, options: { ...parts.options, set: [] } });

async function lacks(session: Session, parts: RequestParts, { full }: Gathered): Promise<boolean> {
  const body = complete(bodyOf(parts.operation), full);
  const issues = await faultsOf(session, parts, body);
  return issues.length > 0 && missingIn(issues, body).length === issues.length;
}
