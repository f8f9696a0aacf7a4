// The orders of a CSV, each with all of its rows, though they may not stand together.

import { keyIdentity } from '../contract/key.ts';
import { Failure } from '../errors.ts';
import { stopIfInterrupted } from '../host/signals.ts';
import type { Host } from '../host.ts';
import type { RawRecord } from './input-types.ts';
import { SeenTexts, WaitingTexts } from './run/waiting-texts.ts';

/** A record, with the key in its first row. */
export type KeyedRecord = RawRecord & { key?: string | undefined };

/** How many records are stored together. */
const CHUNK = 50;

/** How many characters of rows may stand apart from their order: a file with more was sorted, and is refused. */
const MOST_APART = 4 * 1024 * 1024;

/**
 * Reads the whole input first: only then it is known which orders have rows elsewhere. Such an order comes once, in the place of its first
 * row, with all of its rows and with `apart`. Throws `invalid_request` if too many rows stand apart from their order.
 */
export async function* wholeOrders(
  records: AsyncIterable<KeyedRecord>,
  name: string,
  host: Pick<Host, 'temporary' | 'platform' | 'interrupted'>,
): AsyncGenerator<RawRecord> {
  const texts = new WaitingTexts(host);
  const firstLines = new SeenTexts();
  const apart = new Map<string, RawRecord[]>();
  let length = 0;
  let chunk: KeyedRecord[] = [];
  const store = () => {
    stopIfInterrupted(host);
    texts.add(JSON.stringify(chunk));
    chunk = [];
  };
  try {
    for await (const record of records) {
      const identity = record.key && keyIdentity(record.key);
      if (!identity || firstLines.note(identity, record.line) === undefined) {
        chunk.push(record);
        if (chunk.length === CHUNK) store();
        continue;
      }
      length += record.text.length;
      if (length > MOST_APART)
        throw new Failure(
          'invalid_request',
          `${name}: the rows of ${apart.size} orders do not stand together`,
          { hint: 'Export the file again, and do not sort it' },
        );
      apart.set(identity, [...(apart.get(identity) ?? []), record]);
    }
    store();
    for (let text = texts.next(); text !== undefined; text = texts.next())
      for (const { key, ...record } of JSON.parse(text) as KeyedRecord[])
        yield joinedParts(record, (key && apart.get(keyIdentity(key))) || []);
  } finally {
    texts.close();
  }
}

function joinedParts(first: RawRecord, later: readonly RawRecord[]): RawRecord {
  if (later.length === 0) return first;
  const parts = [first, ...later];
  return {
    line: first.line,
    lines: parts.flatMap(({ lines = [] }) => lines),
    text: JSON.stringify(parts.flatMap(({ text }) => JSON.parse(text) as unknown[])),
    apart: parts.map(({ line }) => line),
  };
}
