// What a look at one part of the set-up found.
import { asFailure, type Failure } from '../../errors.ts';
import { maskAddresses } from '../../mask.ts';
import type { DoctorFinding } from '../../output/schemas.ts';
import { type Notice, sayingOf } from '../../say/notices.ts';
import { messageWords } from '../../say/person.ts';
import { type CommandWords, commandsOf } from '../../say/sentence.ts';

export type Check = DoctorFinding['check'];

export interface Finding extends Omit<DoctorFinding, 'next'> {
  next: readonly CommandWords[];
  /** The failure that commands would end with. */
  failure?: Failure;
}

export function finding(check: Check, state: Finding['state'], notice: Notice): Finding {
  const { what, toDo = [] } = sayingOf(notice);
  return { check, state, message: maskAddresses(messageWords(notice)), next: commandsOf(what, toDo) };
}

export const failedFinding = (check: Check, failure: Failure): Finding => ({
  check,
  state: 'failed',
  message: maskAddresses(failure.message),
  next: failure.facts.next ?? [],
  failure,
});

/** What a look finds; a failure that the look throws becomes a finding. */
export async function findingsOrFailure(
  check: Check,
  look: () => Finding[] | Promise<Finding[]>,
): Promise<Finding[]> {
  try {
    return await look();
  } catch (error) {
    const failure = asFailure(error);
    if (failure.code === 'interrupted' || failure.code === 'internal') throw error;
    return [failedFinding(check, failure)];
  }
}
