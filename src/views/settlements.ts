import type { Booking, Settlement } from '../journal/journal.ts';
import { parseJson } from '../json.ts';

/** What persons said about a booking, as scripts read it; oldest first. */
export const shownSettlements = ({ settlements }: Booking) =>
  settlements.map(({ at, before: _, evidence: __, ...one }) => ({ at: new Date(at).toISOString(), ...one }));

/** The same with what the service told then. */
export const settlementsWithEvidence = (booking: Booking) =>
  shownSettlements(booking).map((one, index) => ({
    ...one,
    evidence: parseJson(booking.settlements[index]?.evidence ?? '') ?? null,
  }));

type Shown = ReturnType<typeof shownSettlements>[number];

const WORDS: Readonly<Record<Settlement['state'], [string, string]>> = {
  created: ['Settled', 'created'],
  rejected: ['Settled', 'not created'],
  reopened: ['Reopened', 'unknown'],
  accepted: ['Accepted', 'above its bound'],
};

/** The same for people: what was said, and when by whom and why. */
export function settlementPair({ at, by, run, state, ids, reason }: Shown): [string, string] {
  const [title, what] = WORDS[state];
  const found = state === 'created' ? ['', ...Object.values(ids)].join(' ') : '';
  return [
    title,
    `${at} as ${what}${found}, by ${by}${run === null ? '' : ` in ${run}`}${reason === null ? '' : `: ${reason}`}`,
  ];
}
