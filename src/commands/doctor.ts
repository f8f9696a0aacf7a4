// `doctor`: whether all is ready to book. The look books nothing, writes nothing and prints no label.
import { Failure } from '../errors.ts';
import { type Look, paragraph } from '../output/look.ts';
import type { View } from '../output/print.ts';
import { safe } from '../output/text.ts';
import type { Target } from '../profile/target.ts';
import { declare } from '../session/command.ts';
import type { Session } from '../session/session.ts';
import { type Check, type Finding, failedFinding, finding, findingsOrFailure } from './doctor/finding.ts';
import { journalFindings } from './doctor/journal.ts';
import {
  completionFindings,
  configFindings,
  labelFindings,
  nodeFindings,
  printerFindings,
  stateFindings,
} from './doctor/machine.ts';
import { profileFindings, serviceFindings, settingFindings } from './doctor/service.ts';

export const command = declare({
  examples: [
    '# Is all ready? A report of a fault begins with this.',
    'waybill doctor --profile demo',
    '# Stop a deployment where something is missing.',
    'waybill doctor --profile demo -q || echo "not ready: exit $?"',
  ],
  output: {
    table: 'a line for each part: ok, info, warning or failed, and what to type',
    quiet: 'the checks that failed or warned, else ok',
    json: 'a list of check, state, message and next, as `waybill schema doctor` describes it',
  },
  exits: {
    partial: 'nothing failed, and something about money, the journal or a credential should be mended',
    usage: 'a variable or a setting cannot be read; the service is not asked then',
  },
  notes: {
    'What is looked at':
      'Node and waybill; the folders and their modes; the profile, and each setting that has no effect; credential, address and clock, by asking the service for a shipment that cannot exist, and for proposals; the journal, and the bookings in it that wait for a person; the print program, the folder of labels, and completion. The exit code is that of the first check that failed.',
    'What is not done':
      'Nothing is booked, printed or written, and no journal is made. A token that is fetched is not kept. Of the demo nothing is started.',
  },
  isExamining: true,
  run: examine,
});

async function examine(session: Session): Promise<void> {
  const findings = await findingsOf(session);
  await session.printer.result(
    findings.map(({ failure: _, ...shown }) => shown),
    view,
  );
  const checks = new Set(findings.map(({ check }) => check)).size;
  const checksIn = (state: Finding['state']) => [
    ...new Set(findings.flatMap(finding => (finding.state === state ? finding.check : []))),
  ];
  const failure = findings.find(({ failure }) => failure)?.failure;
  if (failure) {
    const { next: _, issues: __, ...facts } = failure.facts;
    throw new Failure(failure.code, { kind: 'doctor-failed', failed: checksIn('failed'), checks }, facts);
  }
  const warned = checksIn('warning');
  if (warned.length > 0)
    throw new Failure('partial', { kind: 'doctor-warned', warned, checks }, { retry: 'after-change' });
}

async function findingsOf(session: Session): Promise<Finding[]> {
  const { host, unread } = session;
  const findings = nodeFindings(host);
  const look = async (check: Check, give: () => Finding[] | Promise<Finding[]>) =>
    void findings.push(...(await findingsOrFailure(check, give)));
  const notLookedAt = (...checks: readonly Check[]) =>
    void findings.push(...checks.map(check => finding(check, 'info', { kind: 'not-looked-at' })));

  const target = targetOf(session);
  await look('config', () => configFindings(host, target?.profile ?? {}));
  await look('state', () => stateFindings(session));
  const hasState = findings.every(({ check, failure }) => check !== 'state' || failure === undefined);
  if (unread) {
    const isTold = findings.some(({ failure }) => failure?.message === unread.message);
    if (!isTold) findings.push(failedFinding('settings', unread));
    notLookedAt('profile', 'journal', 'service');
  } else {
    await look('profile', () => profileFindings(session));
    if (target) await look('settings', () => settingFindings(session));
    if (target && hasState) await look('journal', () => journalFindings(session));
    else notLookedAt('journal');
    // A wrong command line or setting (exit 2) stops a request before it is sent: then the service is not looked at.
    const mayAsk = findings.every(
      ({ check, failure }) => failure === undefined || (check !== 'profile' && failure.exitCode !== 2),
    );
    if (mayAsk) await look('service', () => serviceFindings(session));
    else notLookedAt('service');
  }
  if (target) findings.push(...printerFindings(target, host));
  if (hasState) findings.push(...labelFindings(host));
  return [...findings, ...completionFindings(host)];
}

/** The service that commands would use; `undefined` if environment and config contradict each other, or cannot be read. */
function targetOf(session: Session): Target | undefined {
  try {
    return session.unread ? undefined : session.target();
  } catch {
    // The look at the profile says why.
    return undefined;
  }
}

const view: View<Omit<Finding, 'failure'>[]> = {
  essential(findings) {
    const wrong = findings.filter(({ state }) => state === 'warning' || state === 'failed');
    return wrong.length === 0 ? ['ok'] : [...new Set(wrong.map(({ check }) => check))];
  },
  table: async (findings, look) =>
    (await Promise.all(findings.map(finding => lineOf(finding, look)))).join('\n'),
};

const STATE_WIDTH = 'warning'.length;
const CHECK_WIDTH = 'credential'.length;

async function lineOf(finding: Omit<Finding, 'failure'>, look: Look): Promise<string> {
  const { state, check, message } = finding;
  const head = `${state.padEnd(STATE_WIDTH)}  ${check.padEnd(CHECK_WIDTH)}  `;
  const columns = look.columns && look.columns - head.length;
  const text = await paragraph({ ...look, columns }, safe(message));
  const paint = { ok: look.green, info: look.dim, warning: look.yellow, failed: look.red }[state];
  return paint(state) + head.slice(state.length) + text.replaceAll('\n', `\n${' '.repeat(head.length)}`);
}
