import { bodyOf } from '../contract/operation.ts';
import { Failure } from '../errors.ts';
import { complete } from '../request/complete.ts';
import { missingIn } from '../request/validate.ts';
import type { Session } from '../session/session.ts';
import { faultsOf, gather, type RequestParts } from './request.ts';

/**
 * The parts with what flags of their own form give, such as `--package`. Throws what `make` throws: of a SPEC that
 * cannot be read, together with whatever else of the request is wrong.
 */
export async function withExtra(
  session: Session,
  parts: RequestParts,
  make: () => unknown,
): Promise<RequestParts> {
  try {
    return { ...parts, extra: await make() };
  } catch (error) {
    if (!(error instanceof Failure && error.code === 'usage')) throw error;
    const { operation } = parts;
    const body = complete(bodyOf(operation), (await gather(session, parts)).full);
    const faults = await faultsOf(session, parts, body);
    // What is missing may be just what could not be read.
    const missing = new Set(missingIn(faults, body));
    const issues = faults.filter(fault => !missing.has(fault));
    throw new Failure('usage', error.message, { operation: operation.command, issues }, { cause: error });
  }
}
