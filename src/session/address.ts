// Where a target is, in the words that messages, keys and the history use.

import type { Scope } from '../journal/booking.ts';
import { checkAccount, type Target } from '../profile/target.ts';
import { isLoopback } from '../text.ts';

/** The address for people and for keys: `demo`, or a URL in one spelling, however it was given. */
export const addressOf = ({ from, base }: Target): string =>
  from === 'demo' ? 'demo' : base ? spelledOnce(base) : 'nowhere';

/** `//api/`, `/%61pi` and `/api` are one path. What differs for a server stays: `/a%2fb` is not `/a/b`. */
function spelledOnce({ protocol, hostname, port, pathname }: URL): string {
  const host = `${hostname.replace(/\.$/, '')}${port && `:${port}`}`;
  const path = pathname
    .replace(/%[0-9a-f]{2}/gi, code => {
      const letter = String.fromCharCode(Number.parseInt(code.slice(1), 16));
      return /[A-Za-z0-9._~-]/.test(letter) ? letter : code.toUpperCase();
    })
    .replace(/\/+/g, '/')
    .replace(/\/$/, '');
  return `${protocol}//${host}${path}`;
}

/** The address with the profile that names it: `profile live, https://api.example.com`. */
export const placeOf = (target: Target): string =>
  `${target.from === 'profile' ? `profile ${target.name}, ` : ''}${addressOf(target)}`;

/** The address and account that own the bookings made on a target. */
export function scopeOf(target: Target): Scope {
  const address = target.from === 'demo' && target.sandbox ? 'demo/sandbox' : addressOf(target);
  // The account of a profile says nothing about a credential from the environment.
  const account = target.from === 'environment' ? '' : (target.profile.account ?? '').normalize('NFC');
  // A config may be edited by hand.
  checkAccount(account, `the account of ${placeOf(target)}`);
  return { address, account };
}

/** Is it the address of the demo? Each machine has a demo of its own. */
export const isDemo = (address: string): boolean => /^demo(\/|$)/.test(address);

/** Is the service on loopback, so that a webhook or a label link may be there too? */
export const onLoopback = ({ from, base }: Target): boolean =>
  from === 'demo' || (base !== undefined && isLoopback(base.hostname));

/** Does a booking cost money there? */
export const isProduction = (target: Target): boolean => !target.sandbox && !onLoopback(target);
