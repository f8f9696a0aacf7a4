// The schemas that `waybill schema` and the emulator publish. The build writes them as `dist/schemas.json`.

import { JOBS } from '../commands/batch.ts';
import { OUTPUT_NAMES } from '../commands/schema.ts';
import { OPERATIONS } from '../contract/operations.ts';
import { type OutputName, outputSchema } from '../output/schemas.ts';
import { VERSION } from '../session/version.ts';
import { ANSWERS } from './answers.ts';
import { jsonSchema, openapiDocument } from './openapi.ts';
import { recordSchema } from './records.ts';
import { ruleSchema } from './rules.ts';

type JsonSchema = Readonly<Record<string, unknown>>;

const byName = <N extends string, T>(names: readonly N[], make: (name: N) => T) =>
  Object.fromEntries(names.map(name => [name, make(name)])) as Record<N, T>;

export async function schemas() {
  const jobs = await Promise.all(
    Object.entries(JOBS).map(async ([name, load]) => [name, await load()] as const),
  );
  // `byName` gives a schema for each of the names.
  const outputs: Record<OutputName, ReturnType<typeof outputSchema>> = byName(OUTPUT_NAMES, outputSchema);
  return {
    openapi: openapiDocument(VERSION),
    /** By the id of an operation: the schema of its body, or of its answer if it has no body. */
    operations: byName(
      Object.values(OPERATIONS).map(({ id }) => id),
      id => jsonSchema(OPERATIONS[id].body ?? ANSWERS[id]),
    ),
    outputs,
    rules: ruleSchema(),
    /** By the command of a batch: the schema of a record. */
    records: Object.fromEntries(jobs.map(([name, job]) => [name, recordSchema(job)])) as Record<
      string,
      JsonSchema
    >,
  };
}
