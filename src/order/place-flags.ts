// Commands in messages: the flags that choose the place of a booking, and a command as it is typed to use the journal in force.
import { type Booking, scopeText } from '../booking/booking.ts';
import type { BookedOrder } from '../booking/questions.ts';
import { DEMO, findProfile } from '../profile/store.ts';
import { isDemo, resolveTarget, targetScope } from '../profile/target.ts';
import type { Session } from '../session/session.ts';
import { commandText, shellWord } from '../text.ts';
import { targetFlags } from './options.ts';

/**
 * The flags that choose a place; `undefined` if neither the environment nor a profile has that place. `place`: as `scopeText` writes it.
 */
export function flagsOfPlace(session: Pick<Session, 'host' | 'config'>, place: string): string[] | undefined {
  for (const profile of [undefined, DEMO, ...Object.keys(session.config.profiles)])
    for (const sandbox of [undefined, false, true]) {
      const globals = {
        ...(profile !== undefined && { profile }),
        ...(sandbox !== undefined && { sandbox }),
      };
      try {
        if (scopeText(targetScope(resolveTarget(session.host, session.config, globals))) === place)
          return targetFlags({ globals });
      } catch {
        // A profile that cannot be used is not the profile of the place.
      }
    }
  return undefined;
}

/**
 * The flags for the place of a booking: its profile, unless the command would use that anyway, and the sandbox, if its flag was typed. If
 * the profile was removed: the flags of the profile or environment that has the place now.
 */
export function flagsFor(
  session: Session,
  order: BookedOrder<Pick<Booking, 'profile' | 'address' | 'account' | 'sandbox'>>,
): string {
  const { globals, target, host, config } = session;
  const { profile, address, sandbox } = order.booking;
  if (profile !== null && !isDemo(address) && !findProfile(config, profile))
    return (flagsOfPlace({ host, config }, scopeText(order.booking)) ?? [])
      .map(flag => ` ${shellWord(flag)}`)
      .join('');
  const named = address === 'demo' ? 'demo' : profile;
  const isInForce = globals.profile === undefined && target().name === named;
  return [
    named === null || isInForce ? '' : ` --profile ${shellWord(named)}`,
    globals.sandbox === undefined ? '' : sandbox ? ' --sandbox' : ' --no-sandbox',
  ].join('');
}

/** Writes a command of `history` as it is typed to use the same journal. */
export const typedFor =
  (session: Pick<Session, 'globals'>) =>
  (...words: string[]): string =>
    `\`${commandText(['waybill', 'history', ...words, ...targetFlags(session)])}\``;
