// The schemas of our own outputs, as they are published.
import * as z from 'zod/mini';
import { bookingLine } from './booking.ts';
import { errorLine } from './error.ts';
import { historyDetail, historyRow } from './history.ts';
import { historyCheck } from './history-check.ts';
import { historySummary } from './history-summary.ts';
import { logLine } from './log.ts';
import { resultLine } from './results.ts';
import { summary } from './summary.ts';

interface Output {
  /** Rises when a field is removed or changes its meaning, and not when one is added. */
  version: number;
  description: string;
  schema: z.ZodMiniType;
}

export const OUTPUTS = {
  booking: {
    version: 1,
    description: 'The line on stderr of each booking, with JSON output.',
    schema: bookingLine,
  },
  results: {
    version: 1,
    description: 'A line of the results of a batch, as JSON.',
    schema: resultLine,
  },
  summary: { version: 1, description: 'What a batch prints on stdout, as JSON.', schema: summary },
  history: {
    version: 1,
    description:
      'What `history list`, `show`, `accept` and `resolve REF` print as JSON: one booking, or a list.',
    schema: z.union([historyDetail, historyRow, z.array(historyRow)]),
  },
  'history-summary': {
    version: 1,
    description: 'What `history summary` prints as JSON: a list of groups.',
    // With -o jsonl each line is a group.
    schema: z.union([historySummary, z.array(historySummary)]),
  },
  'history-check': { version: 1, description: 'What `history check` prints as JSON.', schema: historyCheck },
  error: {
    version: 1,
    description: 'The last line on stderr of a command that fails, with JSON output.',
    schema: errorLine,
  },
  log: { version: 1, description: 'A line of the file of --log.', schema: logLine },
} as const satisfies Record<string, Output>;

export type OutputName = keyof typeof OUTPUTS;

/** The JSON Schema (2020-12) of an output. Fields and words may be added to it, so that it refuses none. */
export function outputSchema(name: OutputName): Record<string, unknown> {
  const { version, description, schema } = OUTPUTS[name];
  const { $schema, ...rest } = z.toJSONSchema(schema);
  return {
    $schema,
    $id: `urn:waybill:schema:${name}:${version}`,
    title: name,
    description,
    ...(opened(rest) as object),
  };
}

/** Objects take further fields, and a list of words is a list of examples. */
function opened(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(opened);
  if (typeof part !== 'object' || part === null) return part;
  const { additionalProperties, enum: words, ...rest } = part as Record<string, unknown>;
  return {
    ...Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, opened(value)])),
    ...(words !== undefined && { examples: words }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: opened(additionalProperties) }),
  };
}
