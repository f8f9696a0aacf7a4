import { bodyOf, type Issue } from '../contract/operation.ts';
import { Failure } from '../errors.ts';
import { faultsOf, gather, type RequestOptions, type RequestParts } from '../orders/request.ts';
import { complete } from '../request/complete.ts';
import { missingIn } from '../request/validate.ts';
import type { Session } from '../session/session.ts';
import type { Answers, MakeInterview } from './interview.ts';

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
  const body = complete(bodyOf(parts.operation), gathered.full);
  if (!draft && !isMissing(await faultsOf(session, parts, body), body)) {
    try {
      return await run({ gathered });
    } catch (error) {
      // What the carrier asks for is known once the proposals are.
      if (!(error instanceof Failure && error.code === 'invalid_request')) throw error;
      if (!isMissing(error.facts.issues ?? [], body)) throw error;
    }
  }
  const { runForm } = await import('./run.ts');
  return runForm(session, { parts, gathered, interview: await interview(), before }, run);
}

/** `--set` reaches inside of what the draft has, and so is left to whoever has it. */
const unset = (parts: RequestParts): RequestParts => ({ ...parts, options: { ...parts.options, set: [] } });

/** Are there faults, and is each of them that something is missing? */
const isMissing = (issues: readonly Issue[], body: unknown): boolean =>
  issues.length > 0 && missingIn(issues, body).length === issues.length;
