// Which service and credentials a command would use.
import type { Command } from 'commander';
import { OPERATIONS } from '../../contract/operations.ts';
import { PARTIES } from '../../contract/parties.ts';
import type { Money } from '../../contract/read.ts';
import { Failure } from '../../errors.ts';
import { anyTable } from '../../output/table.ts';
import { CREDENTIAL_VARIABLES, setting, unknownVariables } from '../../profile/environment.ts';
import { describeCredentials } from '../../profile/secrets.ts';
import { economyNote, endMilestonesOf, FIELD_SETTINGS, OPTION_SETTINGS } from '../../profile/settings.ts';
import { exposureWarning, type Profile } from '../../profile/store.ts';
import { onLoopback, type Target } from '../../profile/target.ts';
import { certificateFiles, certificatesOf, refuseUnpresentable } from '../../service/credentials.ts';
import { type Act, addPage } from '../../session/command.ts';
import type { Session } from '../../session/session.ts';
import { limitLeft } from '../means.ts';

export function defineWhoami(command: Command, act: Act): void {
  command.action(act<object>(whoami));
  addPage(command, {
    examples: ['# Before the first booking of a day. Nothing is sent.', 'waybill profile whoami'],
    output: {
      table: 'one line for each fact, with the reason',
      quiet: 'the profile; without one, the address',
      json: 'profile, address, environment, credentials and caCert, each with its reason under …From; clientCert, sandbox, account, economyCarriers, endMilestones, defaults (what the profile gives each request), limits (with leftOfDay; null: none), ignored, trouble',
    },
  });
}

/** What a command would use, and why; it sends nothing. */
async function whoami(session: Session): Promise<void> {
  const target = session.target();
  const { name, profile, from, sandbox, sources, credentials } = target;
  const { authority, cert } = certificateFiles(session.globals.cacert, target, session.host);
  const about = {
    profile: name ?? null,
    profileFrom: sources.profile,
    address: from === 'nowhere' ? null : session.address(),
    addressFrom: sources.address,
    environment: from === 'nowhere' ? null : environmentOf(target),
    environmentFrom: sandboxSource(session, target),
    sandbox,
    credentials:
      from === 'demo'
        ? 'built in'
        : credentials
          ? describeCredentials(credentials.stored, session.host.cwd)
          : null,
    credentialsFrom: sources.credentials,
    clientCert: cert?.path ?? null,
    caCert: authority?.path ?? null,
    caCertFrom: authority?.by ?? 'none',
    account: profile.account ?? null,
    economyCarriers: session.rules().economyCarriers,
    endMilestones: endMilestonesOf(profile),
    defaults: defaultsOf(profile),
    ...(await limitsOf(session, target)),
    ignored: ignoredVariables(session, target),
  };
  if (from !== 'nowhere' && about.economyCarriers.length === 0) {
    const command = name === undefined ? undefined : `waybill profile set ${name} economyCarriers=ID`;
    await session.printer.note(economyNote(command ?? 'export WAYBILL_ECONOMY_CARRIERS=ID'));
  }
  await session.printer.result(about, {
    essential: body => [body.profile ?? body.address ?? ''],
    table: (body, look) => anyTable(look, body),
  });
}

/** What it gives a request: the saved parties by their fields, and options as they are set. */
const defaultsOf = (profile: Profile): Record<string, unknown> =>
  Object.fromEntries(
    [...PARTIES, ...FIELD_SETTINGS, ...OPTION_SETTINGS].flatMap(name =>
      profile[name] === undefined ? [] : [[name, profile[name]]],
    ),
  );

/** The limits in force, what is left of the day, and why a command would fail. */
async function limitsOf(session: Session, target: Target) {
  const trouble = (await troubleOf(session, target)) ?? null;
  const { resolve = null, allowDuplicate = null, production = null } = target.profile.policy ?? {};
  try {
    const { maxPrice, maxPerDay, requireKey } = session.limits();
    const limits = {
      maxPrice: numbersOf(maxPrice),
      maxPerDay: numbersOf(maxPerDay),
      leftOfDay: numbersOf(await limitLeft(session)),
      requireKey,
      resolve,
      allowDuplicate,
      production,
    };
    const isAny = Object.values(limits).some(limit => limit !== null && limit !== false);
    return { limits: isAny ? limits : null, trouble };
  } catch (error) {
    // Nothing can be booked with a limit that cannot be read, or without the journal.
    if (error instanceof Failure) return { limits: null, trouble: trouble ?? error.message };
    throw error;
  }
}

const numbersOf = (amounts: readonly Money[] | undefined): Record<string, number> | null =>
  amounts === undefined
    ? null
    : Object.fromEntries(amounts.map(({ amount, currency }) => [currency, Number(amount)]));

function environmentOf(target: Target): string {
  if (target.from === 'demo') return 'emulator';
  if (target.sandbox) return 'sandbox';
  return onLoopback(target) ? 'loopback' : 'production';
}

function sandboxSource({ globals, host }: Session, { name, profile }: Target): string {
  if (globals.sandbox !== undefined) return globals.sandbox ? '--sandbox' : '--no-sandbox';
  if (setting(host.env, 'WAYBILL_SANDBOX') !== undefined) return 'WAYBILL_SANDBOX';
  return profile.sandbox === true ? `profile ${name}` : 'default';
}

/** Variables that hold credentials but are not used, and those that nobody knows. */
function ignoredVariables({ host: { env } }: Session, { from }: Target): string[] {
  const unused = from === 'environment' ? [] : CREDENTIAL_VARIABLES.filter(name => setting(env, name));
  return [...unused, ...unknownVariables(env)];
}

/** Why a command that reads would fail before it sends anything. */
async function troubleOf(session: Session, target: Target): Promise<string | undefined> {
  const { host } = session;
  try {
    session.service.requireReachable(OPERATIONS.getShipment);
    await certificatesOf(session.globals.cacert, target, host);
    if (target.credentials) refuseUnpresentable(target.credentials, host);
    return target.from === 'profile' ? exposureWarning(host, target.profile) : undefined;
  } catch (error) {
    if (error instanceof Failure) return error.message;
    throw error;
  }
}
