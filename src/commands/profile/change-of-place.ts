// A change by which a profile leaves what it has booked. A key is known at one address and account, and in one journal: after the change
// each key could be booked again, and the limits of a day would begin anew.
import { Failure } from '../../errors.ts';
import type { ProfilePlace } from '../../journal/find.ts';
import { DEMO, findProfile, type Profile } from '../../profile/store.ts';
import { isDemo, parseJournalAddress, profilePlaces, wholeAddress } from '../../profile/target.ts';
import { openSession, type Session } from '../../session/session.ts';
import { numbered } from '../../text.ts';

/**
 * Asks a person to confirm that a profile leaves what it has booked. `before`: the profile as it is; `undefined`: the profile is new, and
 * what an earlier profile of that name has booked counts. Throws `interrupted` if the answer is not yes, and `usage` where nobody can
 * be asked and --yes was not given.
 */
export async function confirmMove(
  session: Session,
  command: 'profile add' | 'profile set',
  name: string,
  before: Profile | undefined,
  after: Profile,
): Promise<void> {
  const { globals, interactive } = session;
  if (globals.yes || name === DEMO || (before && placesLeft(before, after).length === 0)) return;
  const what = await leftWords(session, name, before, after);
  if (what === undefined) return;
  const words = `${what}: after this change each of its keys can be booked again, and the limits of the day begin anew`;
  if (!interactive)
    throw new Failure('usage', `${command}: ${words}`, {
      hint: 'Nothing was saved. Add --yes if that is meant',
    });
  if (!(await session.confirm(`${words}. Save it?`)))
    throw new Failure('interrupted', `${command}: the answer was not yes`, { hint: 'Nothing was saved' });
}

/** Words about the unknown bookings of a profile that was removed; empty if no such booking can be seen. */
export async function unknownOf(session: Session, name: string): Promise<string> {
  const { host, globals, config } = session;
  const profile = findProfile(config, name);
  if (profile === undefined) return '';
  const looking = openSession(host, { ...globals, profile: name }, config);
  try {
    const journal = await looking.openJournal('look');
    const { length } =
      (await journal?.orders({ profile: name, demo: false, states: ['unknown'], limit: MOST_COUNTED })) ?? [];
    if (length === 0) return '';
    const where = profile.journal === undefined ? '' : ` in the journal ${looking.journalName()}`;
    return `${length === MOST_COUNTED ? 'many' : length} of its bookings ${length === 1 ? 'is' : 'are'} unknown${where}: \`waybill history list --state unknown\``;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return '';
  } finally {
    await looking.close();
  }
}

/** The most bookings that are counted. */
const MOST_COUNTED = 1000;

/** The places (each an address and an account) that a profile leaves by a change; if its journal changes, it leaves all of them. */
export function placesLeft(before: Profile, after: Profile) {
  const kept = journalOf(before) === journalOf(after) ? profilePlaces(after) : [];
  return profilePlaces(before).filter(place => !kept.some(isSame(place)));
}

const isSame =
  (place: Pick<ProfilePlace, 'address' | 'account'>) =>
  ({ address, account }: typeof place): boolean =>
    address === place.address && account === place.account;

function journalOf(profile: Profile): string | undefined {
  try {
    return profile.journal && wholeAddress(parseJournalAddress(profile.journal, 'journal'));
  } catch {
    // The address of the journal cannot be read: somebody wrote it by hand, and this command may mend it.
    return profile.journal;
  }
}

/** How much was booked in the places that a profile leaves; `undefined`: nothing. */
async function leftWords(
  session: Session,
  name: string,
  before: Profile | undefined,
  after: Profile,
): Promise<string | undefined> {
  // The sandbox is left out: a profile that was written by hand may name production as its sandbox, and would be refused.
  const { sandboxBaseUrl: _, ...saved } = before ?? after;
  const looking = openSession(
    session.host,
    { ...session.globals, profile: name },
    { profiles: { [name]: saved } },
  );
  try {
    const journal = await looking.openJournal('look');
    // The journal was moved, and the profile now names the new one: all bookings are there.
    if (journal?.movedTo !== undefined && journalOf({ journal: journal.movedTo }) === journalOf(after))
      return undefined;
    const booked = (await journal?.profilePlaces()) ?? [];
    const left = booked.filter(place =>
      before
        ? placesLeft(before, after).some(isSame(place))
        : place.profile === name && !isDemo(place.address) && !profilePlaces(after).some(isSame(place)),
    );
    if (left.length === 0) return undefined;
    const [bookings, keys] = [sum(left, 'bookings'), sum(left, 'keys')];
    const where = new Set(left.map(({ address, account }) => `${address}${account && ` (${account})`}`));
    return `the profile ${name} has ${numbered(bookings, 'booking')} at ${[...where].join(' and ')}, and holds ${numbered(keys, 'key')} there`;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    // A profile that is new is not asked about: nothing is known to be booked with it.
    return before && `what the profile ${name} has booked cannot be seen, because ${error.message}`;
  } finally {
    await looking.close();
  }
}

const sum = (places: readonly ProfilePlace[], name: 'bookings' | 'keys'): number =>
  places.reduce((total, place) => total + place[name], 0);
