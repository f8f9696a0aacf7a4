import type { Command } from 'commander';
import { OPERATIONS } from '../../contract/operations.ts';
import { Failure } from '../../errors.ts';
import { anyTable } from '../../output/table.ts';
import { setting } from '../../profile/environment.ts';
import { describeCredentials as wordsFor } from '../../profile/mask.ts';
import { exposureOf } from '../../profile/store.ts';
import { onLoopback } from '../../session/address.ts';
import type { Act } from '../../session/command.ts';
import { refuseUnpresentable } from '../../session/credentials.ts';
import { CREDENTIAL_VARIABLES, misspeltVariables } from '../../session/misspelt-variables.ts';
import { requireReachable } from '../../session/reachable.ts';
import { openSession, type Session } from '../../session/session.ts';

// No service gives this id to a shipment: being told so proves that address and credentials work.
const IMPROBABLE = 'waybill-profile-test-0';

export function defineTest(command: Command, act: Act): void {
  command.argument('[name]', 'else the current one').action(act<object>(test));
}

export function defineWhoami(command: Command, act: Act): void {
  command.action(act<object>(whoami));
}

async function test(session: Session, _: object, name?: string): Promise<void> {
  if (name === undefined) return probe(session);
  const named = openSession(session.host, { ...session.globals, profile: name });
  try {
    await probe(named);
  } finally {
    await named.close();
  }
}

async function probe(session: Session): Promise<void> {
  await session.printer.result(await prove(session), { essential: () => ['ok'], table: wordsOf });
}

export interface Proof {
  ok: true;
  address: string;
  /** How long it took. */
  ms: number;
}

/** Reads a shipment that is not there. Throws the Failure of an address or of credentials that do not work. */
export async function prove(session: Session): Promise<Proof> {
  const started = session.host.now();
  try {
    await session.read(OPERATIONS.getShipment, { parameters: { shipmentId: IMPROBABLE } });
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'not_found') throw error;
  }
  return { ok: true, address: session.address(), ms: session.host.now() - started };
}

export const wordsOf = ({ address, ms }: Proof): string => `ok: ${address} takes the credentials (${ms} ms)`;

/** Without network: what would be used, and why. */
async function whoami(session: Session): Promise<void> {
  const { name, profile, from, sandbox, sources, credentials } = session.target();
  const about = {
    profile: name ?? null,
    profileFrom: sources.profile,
    address: from === 'nowhere' ? null : session.address(),
    addressFrom: sources.address,
    environment: environmentOf(session),
    environmentFrom: sandboxWhy(session),
    sandbox,
    credentials: from === 'demo' ? 'built in' : credentials ? wordsFor(credentials.stored) : null,
    credentialsFrom: sources.credentials,
    account: profile.account ?? null,
    ignored: ignoredVariables(session),
    trouble: troubleAhead(session) ?? null,
  };
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

function sandboxWhy({ globals, host, target }: Session): string {
  if (globals.sandbox !== undefined) return globals.sandbox ? '--sandbox' : '--no-sandbox';
  if (setting(host.env, 'WAYBILL_SANDBOX') !== undefined) return 'WAYBILL_SANDBOX';
  const { name, profile } = target();
  return profile.sandbox === true ? `profile ${name}` : 'default';
}

/** Variables of credentials that are set, but count for nothing. */
function ignoredVariables({ host, target }: Session): string[] {
  const set = CREDENTIAL_VARIABLES.filter(name => setting(host.env, name) !== undefined);
  return [...(target().from === 'environment' ? [] : set), ...misspeltVariables(host.env)];
}

/** Why a command that reads would fail before it sends anything. */
function troubleAhead(session: Session): string | undefined {
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
