// What the tests of a shared journal share beyond the rig of every journal.
import { openSharedJournal } from '../../src/journal/postgres/journal.ts';
import { LEASE_MS, settingsFor, sharedHost } from './rig.ts';

/** The journal at that address, as a process of its own has it. */
export const open = (address: string, { host = sharedHost(), patience = LEASE_MS, process = 1 } = {}) =>
  openSharedJournal(settingsFor(address), { host: 'here', process, start: '1' }, host, {
    ms: LEASE_MS,
    patience,
  });

/** A host whose deadlines are over when the test says so. */
export function patientHost() {
  const deadlines: { ms: number; late(): unknown }[] = [];
  const deadline = (ms: number, late: () => unknown) => {
    const one = { ms, late };
    deadlines.push(one);
    return () => void (deadlines.includes(one) && deadlines.splice(deadlines.indexOf(one), 1));
  };
  return { host: { ...sharedHost(), deadline }, deadlines };
}
