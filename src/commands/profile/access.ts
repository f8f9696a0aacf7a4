// Which service and credentials a command would use, and whether they work.
import { OPERATIONS } from '../../contract/operations.ts';
import { Failure } from '../../errors.ts';
import { anyTable } from '../../output/table.ts';
import { setting } from '../../profile/environment.ts';
import { describeCredentials } from '../../profile/mask.ts';
import { economyNote } from '../../profile/settings.ts';
import { exposureOf } from '../../profile/store.ts';
import { onLoopback } from '../../session/address.ts';
import { refuseUnpresentable } from '../../session/credentials.ts';
import { CREDENTIAL_VARIABLES, misspeltVariables } from '../../session/misspelt-variables.ts';
import { requireReachable } from '../../session/reachable.ts';
import { openSession, type Session } from '../../session/session.ts';

/** What a command would use, and why; it sends nothing. */
export async function whoami(session: Session): Promise<void> {
  const { name, profile, from, sandbox, sources, credentials } = session.target();
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
    account: profile.account ?? null,
    economyCarriers: session.economyCarriers(),
    ignored: ignoredVariables(session),
    trouble: problemOf(session) ?? null,
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
  return [...(target().from === 'environment' ? [] : set), ...misspeltVariables(host.env)];
}

/** Why a command that reads would fail before it sends anything. */
function problemOf(session: Session): string | undefined {
  const { host } = session;
  const target = session.target();
  try {
    requireReachable(OPERATIONS.getShipment, target, host.env);
    if (target.credentials) refuseUnpresentable(target.credentials, host);
    return target.from === 'profile' ? exposureOf(host, target.profile) : undefined;
  } catch (error) {
    if (error instanceof Failure) return error.message;
    throw error;
  }
}

// No service gives this id to a shipment: a "not found" proves that address and credentials work.
const NO_SHIPMENT = 'waybill-profile-test-0';

export async function test(session: Session, _: object, name?: string): Promise<void> {
  const tested =
    name === undefined ? session : openSession(session.host, { ...session.globals, profile: name });
  try {
    await tested.printer.result(await testAccess(tested), { essential: () => ['ok'], table: accessWords });
  } finally {
    if (tested !== session) await tested.close();
  }
}

/** Reads a shipment that does not exist; `ms` is how long it took. Throws if address or credentials do not work. */
export async function testAccess(session: Session) {
  const started = session.host.now();
  try {
    await session.read(OPERATIONS.getShipment, { parameters: { shipmentId: NO_SHIPMENT } });
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'not_found') throw error;
  }
  return { ok: true, address: session.address(), ms: session.host.now() - started };
}

export const accessWords = ({ address, ms }: { address: string; ms: number }): string =>
  `ok: ${address} accepts the credentials (${ms} ms)`;
