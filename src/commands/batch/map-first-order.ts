// The first order of an export, as a map reads it.
import { withoutUnread } from '../../batch/cells.ts';
import type { Beginning } from '../../batch/guess/sample.ts';
import { openRecords } from '../../batch/input.ts';
import type { InputMap, InputSettings } from '../../batch/source.ts';
import { fieldAt } from '../../contract/fields.ts';
import { bodyOf, type Issue } from '../../contract/operation.ts';
import { parsePath } from '../../contract/paths.ts';
import { Failure } from '../../errors.ts';
import { completed, layer, type RequestParts } from '../../order/build.ts';
import { findIssues, missingIn } from '../../order/check.ts';
import { type FlaggedField, flaggedFields } from '../../order/options.ts';
import type { Session } from '../../session/session.ts';

/** An input that is being mapped. */
export interface Mapping {
  session: Session;
  parts: RequestParts;
  sample: Beginning;
  settings: InputSettings;
}

/** The first order as it would be sent. */
export interface FirstOrder {
  key: string | undefined;
  body: unknown;
  /** What a column or a constant must give, or a value that is wrong. */
  open: Issue[];
  /** What flags give for all orders. */
  flags: FlaggedField[];
}

export async function firstOrder(
  { session, parts, sample, settings }: Mapping,
  map: InputMap,
): Promise<FirstOrder> {
  const schema = bodyOf(parts.operation);
  let leftOut = 0;
  const input = openRecords(sample.bytes(), {
    ...settings,
    map,
    onLeftOut() {
      leftOut += 1;
    },
    onSummed() {},
  });
  for await (const raw of input.records) {
    const record = input.parse(raw);
    const { key, value, options, issues } = record;
    const body = await completed(schema, layer(parts.layers.full, value));
    const missingKey =
      key === undefined ? [{ path: 'key', message: 'is required: the number of the order' }] : [];
    const found = findIssues({ ...parts, record: value }, body, session.rules()).filter(
      ({ path }) => !(path.startsWith('carrier') && options?.carrier !== undefined),
    );
    const isOfShop = ({ path }: Issue) => fieldAt(schema, (parsePath(path) ?? []).slice(0, 1))?.isOfShop;
    const own = found.filter(issue => !isOfShop(issue));
    const lacking = missingIn(found.filter(isOfShop), body).map(({ path }) => path);
    return {
      key,
      body,
      open: [...missingKey, ...issues, ...withoutUnread(own, record)],
      flags: flaggedFields(parts.operation).filter(({ pattern }) => lacking.includes(pattern)),
    };
  }
  const why = leftOut > 0 ? `only orders that the map leaves out, ${leftOut} of them` : 'no record';
  throw new Failure('invalid_request', `${settings.name} has ${why}; nothing was written`);
}
