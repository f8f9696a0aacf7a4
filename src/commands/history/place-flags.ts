// Which flags choose the place of a booking, for the commands in messages.
import { scopeText } from '../../booking/booking.ts';
import { targetFlags } from '../../order/options.ts';
import { DEMO } from '../../profile/store.ts';
import { resolveTarget, targetScope } from '../../profile/target.ts';
import type { Session } from '../../session/session.ts';

/** `place`: as `scopeText` writes it. `undefined` if neither the environment nor a profile has it. */
export function flagsOfPlace(
  { host, config }: Pick<Session, 'host' | 'config'>,
  place: string,
): string[] | undefined {
  for (const profile of [undefined, DEMO, ...Object.keys(config.profiles)])
    for (const sandbox of [undefined, false, true]) {
      const globals = {
        ...(profile !== undefined && { profile }),
        ...(sandbox !== undefined && { sandbox }),
      };
      try {
        if (scopeText(targetScope(resolveTarget(host, config, globals))) === place)
          return targetFlags({ globals });
      } catch {
        // A profile that cannot be used is not the one.
      }
    }
  return undefined;
}
