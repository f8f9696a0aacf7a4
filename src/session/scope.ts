import type { Scope } from '../journal/journal.ts';
import type { Target } from '../profile/target.ts';

/** The address for messages and for people: `demo`, or a URL. */
export const addressOf = ({ from, base }: Target): string =>
  from === 'demo' ? 'demo' : (base?.href.replace(/\/$/, '') ?? 'nowhere');

/** Whose bookings those on a target are. */
export const scopeOf = (target: Target): Scope => ({
  address: target.from === 'demo' && target.sandbox ? 'demo/sandbox' : addressOf(target),
  // An account of a profile has nothing to say of a credential of the environment.
  account: target.from === 'environment' ? '' : (target.profile.account ?? ''),
});
