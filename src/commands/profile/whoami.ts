// Which service and credentials a command would use.
import { OPERATIONS } from '../../contract/operations.ts';
import { Failure } from '../../errors.ts';
import { anyTable } from '../../output/table.ts';
import { setting } from '../../profile/environment.ts';
import { describeCredentials } from '../../profile/mask.ts';
import { economyNote, endMilestonesOf } from '../../profile/settings.ts';
import { exposureOf } from '../../profile/store.ts';
import { onLoopback } from '../../session/address.ts';
import { certificateFiles } from '../../session/certificates.ts';
import { refuseUnpresentable } from '../../session/credentials.ts';
import { requireReachable } from '../../session/reachable.ts';
import type { Session } from '../../session/session.ts';
import { CREDENTIAL_VARIABLES, unknownVariables } from '../../session/unknown-variables.ts';

/** What a command would use, and why; it sends nothing. */
export async function whoami(session: Session): Promise<void> {
  const { name, profile, from, sandbox, sources, credentials } = session.target();
  const { authority, cert } = certificateFiles(session.globals, session.target(), session.host);
  const about = {
    profile: name ?? null,
    profileFrom: sources.profile,
    address: from === 'nowhere' ? null : session.address(),
    addressFrom: sources.address,
    environment: environmentOf(session),
    environmentFrom: sandboxSource(session),
    sandbox,
    credentials: from === 'demo' ? 'built in' : credentials ? describeCredentials(credentials.stored) : null,
    credentialsFrom: sources.credentials,
    clientCert: cert?.path ?? null,
    caCert: authority?.path ?? null,
    caCertFrom: authority?.by ?? 'none',
    account: profile.account ?? null,
    economyCarriers: session.economyCarriers(),
    endMilestones: endMilestonesOf(profile),
    ignored: ignoredVariables(session),
    trouble: (await problemOf(session)) ?? null,
  };
  if (from !== 'nowhere' && about.economyCarriers.length === 0)
    await session.printer.note(
      economyNote(
        name === undefined
          ? 'export WAYBILL_ECONOMY_CARRIERS=ID'
          : `waybill profile set ${name} economyCarriers=ID`,
      ),
    );
  await session.printer.result(about, {
    essential: body => [body.profile ?? body.address ?? ''],
    table: (body, look) => anyTable(look, body),
  });
}

function environmentOf(session: Session): string | null {
  const target = session.target();
  if (target.from === 'nowhere') return null;
  if (target.from === 'demo') return 'emulator';
  if (target.sandbox) return 'sandbox';
  return onLoopback(target) ? 'loopback' : 'production';
}

function sandboxSource({ globals, host, target }: Session): string {
  if (globals.sandbox !== undefined) return globals.sandbox ? '--sandbox' : '--no-sandbox';
  if (setting(host.env, 'WAYBILL_SANDBOX') !== undefined) return 'WAYBILL_SANDBOX';
  const { name, profile } = target();
  return profile.sandbox === true ? `profile ${name}` : 'default';
}

/** Variables that hold credentials but are not used. */
function ignoredVariables({ host, target }: Session): string[] {
  const set = CREDENTIAL_VARIABLES.filter(name => setting(host.env, name) !== undefined);
  return [...(target().from === 'environment' ? [] : set), ...unknownVariables(host.env)];
}

/** Why a command that reads would fail before it sends anything. */
async function problemOf(session: Session): Promise<string | undefined> {
  const { host } = session;
  const target = session.target();
  try {
    requireReachable(OPERATIONS.getShipment, target, host.env);
    await session.certificates();
    if (target.credentials) refuseUnpresentable(target.credentials, host);
    return target.from === 'profile' ? exposureOf(host, target.profile) : undefined;
  } catch (error) {
    if (error instanceof Failure) return error.message;
    throw error;
  }
}
