import type { Command } from 'commander';
import { requestJob } from '../batch/run/job.ts';
import { NO_FACTS } from '../booking/facts.ts';
import { fingerprint } from '../booking/fingerprint.ts';
import { LEGS } from '../contract/operation.ts';
import { OPERATIONS } from '../contract/operations.ts';
import { textAt } from '../contract/paths.ts';
import { Failure } from '../errors.ts';
import { defineRequest } from '../forms/define-request.ts';
import { Json } from '../json.ts';
import { finishLabels, printLabels } from '../labels/finish.ts';
import { type LabelFileOptions, labelFileOptions } from '../labels/flags.ts';
import { type MadeLabels, makeLabels } from '../labels/make.ts';
import { type LabelFiles, prepareFolder, type SavedLabels, saveLabels } from '../labels/save.ts';
import type { Identity } from '../orders/book-once.ts';
import { bookedShipments, labelBody, namedShipments } from '../orders/booked-with-key.ts';
import type { BookingOptions, RequestOptions } from '../orders/flags.ts';
import { buildRequest } from '../orders/request.ts';
import type { RequestCommand } from '../orders/request-command.ts';
import type { Act } from '../session/command.ts';
import type { Session } from '../session/session.ts';
import { shown } from '../text.ts';
import { labelsView } from '../views/labels.ts';

const operation = OPERATIONS.createLabels;

interface NamedShipment {
  /** The shipment, by any of its names. */
  ref?: string;
}

const LABEL: RequestCommand<RequestOptions & LabelFileOptions & BookingOptions & NamedShipment> = {
  operation,
  flags: [
    { flag: '--international <id>', path: 'international', group: 'Shipments:' },
    { flag: '--domestic <id>', path: 'domestic', group: 'Shipments:' },
  ],
  oneOf: 'a shipment, --international, --domestic or --key',
  options: labelFileOptions,
  async fromOptions(session, { key, ref }) {
    if (ref !== undefined)
      return labelBody((await namedShipments(session, ref))?.ids ?? { international: ref });
    return key === undefined ? undefined : labelBody((await bookedShipments(session, key)).ids);
  },
  check({ key, ref }) {
    if (key !== undefined && ref !== undefined)
      throw new Failure(
        'usage',
        `name the shipment once: ${shown(ref)} or --key ${shown(key)}; nothing was sent`,
      );
  },
};

export function define(command: Command, act: Act): void {
  defineRequest(command, act, LABEL, {
    loadForm: async () => (await import('../forms/label.ts')).labelForm,
    async run(session, options, { body, identity }) {
      const files = prepareFolder(session, options);
      // A service that cannot be reached is refused before the journal is asked.
      await session.client(operation);
      // Files have the name of the order.
      const named = options.ref === undefined ? undefined : await namedShipments(session, options.ref);
      const key = identity.key ?? named?.booking?.key ?? undefined;
      const made = await labelled(session, body, { ...identity, key }, files);
      await session.printer.result(made.body, labelsView(made.content, made.saved));
      await finishLabels(session, operation, made);
    },
  })
    .argument('[ref]', 'a shipment, by its id, its tracking number, or the key of its booking')
    .optionsGroup('Shipments:')
    .option('--key <key>', 'of a shipment that was booked with this key');
}

/** Makes the missing labels, and saves all of them. Throws if there is none. */
async function labelled(
  session: Session,
  body: unknown,
  identity: Identity,
  files: LabelFiles | undefined,
): Promise<MadeLabels & SavedLabels> {
  const shipments = LEGS.flatMap(leg => {
    const shipment = textAt(body, [leg]);
    return shipment === undefined ? [] : { leg, shipment };
  });
  const summary = () =>
    `label for ${shipments.map(({ leg, shipment }) => `${leg} ${shipment}`).join(' and ')}`;
  const { international: _, domestic: __, ...unknown } = body as Record<string, unknown>;
  const made = await makeLabels(session, { shipments, identity, summary, unknown });
  return saveLabels(session, files, made, leg => identity.key ?? textAt(body, [leg]) ?? leg);
}

export const job = requestJob(LABEL, {
  requiresKey: false,
  ignoresOthers: true,
  start: (parts, { download, print, international, domestic }) => ({
    hasFollowUp: () => download !== undefined || print === true,
    async prepare(session, { key, value }) {
      // A key names the shipment if nothing else does. It is looked up when it is the record's turn.
      const ids = [international, domestic, ...LEGS.map(leg => value[leg])];
      if (key !== undefined && ids.every(id => id === undefined))
        return { body: new Json(null), isComplete: false, fingerprint: '' };
      const { body } = await buildRequest(session, { ...parts, record: value });
      return { body: new Json(body), isComplete: true, fingerprint: fingerprint(body) };
    },
    async perform(session, { body: { value: prepared }, identity }, files) {
      const record = prepared === null && (await bookedShipments(session, identity.key ?? ''));
      const body = record
        ? (await buildRequest(session, { ...parts, record: labelBody(record.ids) })).body
        : prepared;
      const made = await labelled(session, body, identity, files);
      const ids = Object.fromEntries(LEGS.map(leg => [leg, textAt(body, [leg])]).filter(([, id]) => id));
      return {
        result: made.body,
        facts: { ...NO_FACTS, ids, labels: made.labels },
        saved: made.saved,
        failure: await printLabels(session, operation, made),
      };
    },
  }),
});
