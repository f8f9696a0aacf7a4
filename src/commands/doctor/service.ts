// What doctor looks at of the service: the profile, its settings, its credential and address, and its clock.
import { OPERATIONS } from '../../contract/operations.ts';
import { asFailure, Failure } from '../../errors.ts';
import { settingsWithoutEffect } from '../../profile/idle.ts';
import { describeCredentials } from '../../profile/secrets.ts';
import { readSetting, settingInForce } from '../../profile/settings.ts';
import { SETTING_NAMES } from '../../profile/table.ts';
import { environmentOf } from '../../profile/target.ts';
import type { Exchange } from '../../service/response.ts';
import { flagOrVariable } from '../../session/globals.ts';
import type { Session } from '../../session/session.ts';
import { judgeAnswer, probeOperation, UNKNOWN_ID } from '../profile/test.ts';
import { type Finding, failedFinding, finding, findingsOrFailure } from './finding.ts';

/** Throws if the environment and the config contradict each other, or name no service. */
export function profileFindings(session: Session): Finding[] {
  const target = session.target();
  session.service.requireReachable(OPERATIONS.getShipment);
  return [
    finding('profile', 'ok', {
      kind: 'service-meant',
      profile: target.from === 'environment' ? undefined : target.name,
      by: target.from === 'environment' ? target.sources.address : target.sources.profile,
      environment: environmentOf(target),
      address: session.address(),
      account: session.scope().account || undefined,
    }),
  ];
}

/** A finding for each setting that cannot be read or has no effect; the rules of the profile are read, too. */
export async function settingFindings(session: Session): Promise<Finding[]> {
  const { host, config } = session;
  const findings = [
    ...unreadableSettings(session).map(failure => failedFinding('settings', failure)),
    ...(await findingsOrFailure('settings', () => ruleFindings(session))),
    ...settingsWithoutEffect(host.env, config, session.target()).map(notice =>
      finding('settings', 'warning', notice),
    ),
  ];
  return findings.length > 0 ? findings : [finding('settings', 'ok', { kind: 'settings-in-effect' })];
}

/** Throws if the file of the profile's rules is gone, or has rules that cannot be followed. */
async function ruleFindings(session: Session): Promise<Finding[]> {
  const { rules } = session.target().profile;
  if (typeof rules === 'string') await (await import('../../order/rules.ts')).readRules(session, rules);
  return [];
}

/** A failure for each setting that commands could not read: the config may have been written by hand. */
function unreadableSettings(session: Session): Failure[] {
  const { host, globals } = session;
  const { name, profile } = session.target();
  const saved = SETTING_NAMES.flatMap(setting => {
    const value: unknown = Reflect.get(profile, setting);
    return typeof value === 'string'
      ? [() => readSetting(setting, value, `${setting} of the profile ${name}`)]
      : [];
  });
  const reads = [
    ...saved,
    () => session.limits(),
    () => session.rules(),
    () => flagOrVariable(globals, host.env, 'timeout'),
    () => flagOrVariable(globals, host.env, 'retries'),
    () => settingInForce('requestIdHeader', host.env, profile),
  ];
  return reads.flatMap(read => {
    try {
      read();
      return [];
    } catch (error) {
      return asFailure(error);
    }
  });
}

/** Asks the service for a shipment that cannot exist, and for proposals. Throws only if a signal comes. */
export async function serviceFindings(session: Session): Promise<Finding[]> {
  const { host } = session;
  if (session.target().from === 'demo') return [finding('service', 'ok', { kind: 'service-built-in' })];
  const started = host.monotonic();
  let exchange: Exchange;
  try {
    exchange = await probeOperation(session, OPERATIONS.getShipment);
  } catch (error) {
    const failure = asFailure(error);
    if (['interrupted', 'internal'].includes(failure.code)) throw error;
    // The credential could not be read from its file, variable or program, or no token could be fetched with it.
    return [failedFinding('credential', failure)];
  }
  const ms = host.monotonic() - started;
  const { failure = await noServiceThere(session, exchange) } = judgeAnswer(
    session,
    OPERATIONS.getShipment,
    exchange,
  );
  const credential = credentialOf(session);
  if (failure?.code === 'unauthorized')
    return [failedFinding('credential', failure), ...clockFindings(exchange, host.now())];
  if (failure)
    return [
      finding('credential', 'info', { kind: 'credential-not-asked', credential }),
      failedFinding('service', failure),
      ...clockFindings(exchange, host.now()),
    ];
  const source = session.target().sources.credentials;
  return [
    finding('credential', 'ok', { kind: 'credential-accepted', credential, source }),
    finding('service', 'ok', { kind: 'service-answered', address: session.address(), id: UNKNOWN_ID, ms }),
    ...clockFindings(exchange, host.now()),
  ];
}

/**
 * Tells a missing service from a missing shipment: a server answers 404 to a wrong path, too, whatever the credential is. So this asks
 * for proposals, whose path has no id. That books nothing.
 */
async function noServiceThere(session: Session, exchange: Exchange): Promise<Failure | undefined> {
  if (exchange.kind !== 'answer' || exchange.status !== 404) return undefined;
  const { httpStatus } = judgeAnswer(
    session,
    OPERATIONS.proposal,
    await probeOperation(session, OPERATIONS.proposal),
  );
  if (httpStatus !== 404) return undefined;
  const { method, path } = OPERATIONS.proposal;
  return new Failure('not_found', {
    kind: 'no-service-at-address',
    address: session.address(),
    source: session.target().sources.address,
    request: `${method} ${path}`,
  });
}

/** The kind of credential that is sent, without its secret. */
function credentialOf(session: Session): string {
  const { credentials } = session.target();
  return credentials === undefined
    ? 'a client certificate'
    : describeCredentials(credentials.stored, session.host.cwd);
}

/** By how much the clocks may differ: an answer takes its time, and a header has whole seconds. */
const CLOCKS_AGREE_MS = 2 * 60_000;

function clockFindings(exchange: Exchange, now: number): Finding[] {
  if (exchange.kind === 'none') return [];
  const serviceTime = Date.parse(exchange.headers.date ?? '');
  if (Number.isNaN(serviceTime)) return [finding('clock', 'info', { kind: 'clock-not-told' })];
  const ms = now - serviceTime;
  return [
    Math.abs(ms) <= CLOCKS_AGREE_MS
      ? finding('clock', 'ok', { kind: 'clock-agrees' })
      : finding('clock', 'warning', { kind: 'clock-differs', ms }),
  ];
}
