// `emulator --audit`: the file with the verdict about a client, and the same verdict as a page for people.
import { statSync } from 'node:fs';
import { type AuditReport, createAudit, type Story, type Verdict } from '../../emulator/audit.ts';
import { Failure } from '../../errors.ts';
import { absolutePath } from '../../host/folder.ts';
import { openReplacement } from '../../host/replace-file.ts';
import type { Host } from '../../host.ts';
import { nameAndPlace } from '../../say/words.ts';
import { readObject } from '../../session/files.ts';
import type { Session } from '../../session/session.ts';
import { numbered } from '../../text.ts';

/** Opens an audit, which will write its verdict into the file at `path`. Throws `usage`, `storage`, before anything is begun. */
export async function openAudit(session: Session, path: string, data: string | undefined) {
  const { host, printer, globals } = session;
  if (data !== undefined && absolutePath(data, host) === absolutePath(path, host))
    throw new Failure('usage', { kind: 'audit-is-data', path });
  await refuseOtherReport(path, host);
  const file = openReplacement(absolutePath(path, host), path, host.process);
  const audit = createAudit();
  return {
    see: audit.see,
    /**
     * Writes and shows the verdict; to be called when the emulator is closed. `ended`: the exit code of COMMAND. Gives the exit code
     * of the emulator's command. Throws `storage`.
     */
    async judge(ended: number): Promise<number> {
      const verdict = audit.verdict();
      await printer.note({ kind: 'audit-counted', path, ...countsOf(verdict) }, auditPage(verdict));
      if (verdict.stories.length === 0) await printer.warn({ kind: 'audit-saw-nothing' });
      else if (verdict.lost === 0) await printer.warn({ kind: 'audit-lost-nothing' });
      file.write(`${JSON.stringify(verdict.report, undefined, 2)}\n`);
      file.publish();
      const failure = failureOfClient(verdict.report, ended, globals.strict === true);
      if (failure === undefined) return ended;
      // The failure is printed, not thrown: the exit code of the signal that ended the emulator would replace that of the verdict.
      await printer.failure(failure);
      return failure.exitCode;
    },
    close: () => file.close(),
  };
}

/** The failure of a client that did not pass the audit; `undefined`: the client passed. */
function failureOfClient(report: AuditReport, ended: number, isStrict: boolean): Failure | undefined {
  const { booked, repeated, labels } = report;
  if (repeated.length > 0)
    return new Failure('partial', { kind: 'audit-repeated', repeated: repeated.length, ended });
  if (isStrict && booked.length + labels.length > 0)
    return new Failure('partial', { kind: 'audit-twice', orders: booked.length, shipments: labels.length });
  return undefined;
}

/** A report replaces an earlier one, and no other file. Throws `usage`. */
async function refuseOtherReport(path: string, host: Host): Promise<void> {
  if (!statSync(absolutePath(path, host), { throwIfNoEntry: false })?.isFile()) return;
  const before: Partial<Record<keyof AuditReport, unknown>> = await readObject(path, host).catch(() => ({}));
  if (![before.booked, before.repeated, before.labels].every(Array.isArray))
    throw new Failure('usage', { kind: 'audit-is-other-file', path });
}

const countsOf = (verdict: Verdict) => ({
  orders: verdict.stories.filter(({ kind, booked }) => kind === 'order' && booked > 0).length,
  labels: verdict.stories.reduce((sum, { labelled }) => sum + labelled, 0),
  bookedTwice: verdict.report.booked.length,
  labelledTwice: verdict.report.labels.length,
  repeated: verdict.report.repeated.length,
});

// The verdict as a page for people.

const MOST_STORIES = 20;
const MOST_REQUESTS = 10;

/** The lines of the page: the story of each order that was booked or labelled twice, or sent once more. */
function auditPage(verdict: Verdict): string[] {
  const unclean = verdict.stories.filter(
    ({ kind, booked, isLabelledTwice, attempts }) =>
      (kind === 'order' && booked > 1) ||
      isLabelledTwice ||
      attempts.some(({ repeatsAfterMs }) => repeatsAfterMs !== null),
  );
  return [
    ...unclean.slice(0, MOST_STORIES).flatMap(storyLines),
    ...moreLine(unclean.length - MOST_STORIES, 'order'),
  ];
}

const moreLine = (count: number, noun: string): string[] =>
  count > 0 ? [`and ${numbered(count, noun)} more: the file has all of them`] : [];

const storyLines = (story: Story): string[] => [
  `${storyName(story)}: ${storyCounts(story)}`,
  ...story.attempts.slice(0, MOST_REQUESTS).map(attemptLine),
  ...moreLine(story.attempts.length - MOST_REQUESTS, 'request').map(line => `  ${line}`),
];

function storyName(story: Story): string {
  const { kind, receiver, name } = story;
  if (kind !== 'order') return kind === 'label' ? `shipment ${name}` : name;
  const { name: person = null, city = null, country = null } = receiver ?? {};
  return nameAndPlace(person, [city, country].filter(Boolean).join(', ')) || 'an order without a receiver';
}

function storyCounts(story: Story): string {
  const { kind, booked, labelled } = story;
  const labels = numbered(labelled, 'label');
  switch (kind) {
    case 'order':
      return `booked ${timesWords(booked)}, ${labels}`;
    case 'label':
      return labels;
    case 'subscription':
      return `subscribed ${timesWords(booked)}`;
  }
}

const timesWords = (count: number): string => (count === 1 ? 'once' : numbered(count, 'time'));

/** `09:12:01.350  POST /v1/shipments  answer lost (reset-after), made shp_1; sent again 200 ms after the loss` */
function attemptLine(attempt: Story['attempts'][number]): string {
  const { method, path } = attempt.operation;
  const answer = attempt.isLost ? `answer lost (${attempt.fault ?? 'the client left'})` : attempt.status;
  const ids = attempt.made.flatMap(thing => thing.ids);
  const effect = ids.length > 0 ? `made ${ids.join(', ')}` : 'made nothing';
  const ms = attempt.repeatsAfterMs;
  const again = ms === null ? '' : `; sent again ${durationWords(ms)} after the loss`;
  const time = new Date(attempt.begun.ms).toISOString().slice(11, 23);
  return `  ${time}  ${method} ${path}  ${answer}, ${effect}${again}`;
}

const durationWords = (ms: number): string => (ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`);
