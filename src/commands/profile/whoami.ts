// Which service and credentials a command would use, and why.

import { OPERATIONS } from '../../contract/operations.ts';
import type { Money } from '../../contract/read.ts';
import { PARTIES } from '../../contract/shipments.ts';
import { Failure } from '../../errors.ts';
import { limitLeft } from '../../order/desk.ts';
import { anyTable } from '../../output/table.ts';
import { isOn, setting } from '../../profile/environment.ts';
import { describeCredentials } from '../../profile/secrets.ts';
import { economyNote, endMilestonesOf, RESERVABLE } from '../../profile/settings.ts';
import { exposureWarning, type Profile } from '../../profile/store.ts';
import { CREDENTIAL_VARIABLES, FIELD_SETTINGS, OPTION_SETTINGS } from '../../profile/table.ts';
import { environmentOf, type Target } from '../../profile/target.ts';
import { unknownNamed } from '../../profile/unknown.ts';
import { messageWords } from '../../say/person.ts';
import { certificateFiles, certificatesOf, refuseUnpresentable } from '../../service/credentials.ts';
import { declare } from '../../session/command.ts';
import type { Session } from '../../session/session.ts';

export const whoami = declare({
  examples: ['# Before the first booking of a day. Nothing is sent.', 'waybill profile whoami'],
  output: {
    table: 'one line for each fact, with the reason',
    quiet: 'the profile; without one, the address',
    json: 'the facts by name, their reasons under …From; defaults is what the profile gives each request, limits has leftOfDay',
  },
  run: showTarget,
});

/** Shows what a command would use, and why; sends nothing. */
async function showTarget(session: Session): Promise<void> {
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

/** What a profile gives each request: the saved parties by their fields, and options as they are set. */
const defaultsOf = (profile: Profile): Record<string, unknown> =>
  Object.fromEntries(
    [...PARTIES, ...FIELD_SETTINGS, ...OPTION_SETTINGS].flatMap(name =>
      profile[name] === undefined ? [] : [[name, profile[name]]],
    ),
  );

/** The limits in force, what is left of the day, and why a command would fail. */
async function limitsOf(session: Session, target: Target) {
  const trouble = (await troubleOf(session, target)) ?? null;
  const { policy = {} } = target.profile;
  try {
    const { maxPrice, maxPerDay, requireKey } = session.limits();
    const limits = {
      maxPrice: numbersOf(maxPrice),
      maxPerDay: numbersOf(maxPerDay),
      leftOfDay: numbersOf(await limitLeft(session)),
      requireKey,
      ...Object.fromEntries(RESERVABLE.map(limit => [limit, policy[limit] ?? null])),
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

function sandboxSource(session: Session, target: Target): string {
  if (session.globals.sandbox !== undefined) return session.globals.sandbox ? '--sandbox' : '--no-sandbox';
  if (isOn(session.host.env, 'WAYBILL_SANDBOX')) return 'WAYBILL_SANDBOX';
  return target.profile.sandbox === true ? `profile ${target.name}` : 'default';
}

/** Variables that hold credentials but are not used, and variables of waybill with an unknown name. */
function ignoredVariables(session: Session, target: Target): string[] {
  const { env } = session.host;
  const unused = target.from === 'environment' ? [] : CREDENTIAL_VARIABLES.filter(name => setting(env, name));
  return [...unused, ...unknownNamed(env, session.config)];
}

/** Why a command that reads would fail before it sends anything. */
async function troubleOf(session: Session, target: Target): Promise<string | undefined> {
  const { host } = session;
  try {
    session.service.requireReachable(OPERATIONS.getShipment);
    await certificatesOf(session.globals.cacert, target, host);
    if (target.credentials) refuseUnpresentable(target.credentials, host);
    const exposure = target.from === 'profile' && exposureWarning(host, target.profile);
    return exposure ? messageWords(exposure) : undefined;
  } catch (error) {
    if (error instanceof Failure) return error.message;
    throw error;
  }
}
