import { jsonSchema } from '../contract/openapi.ts';
import { getAt, isRecord } from '../contract/paths.ts';
import { fieldsOf, type Schema, sampleOf } from '../contract/shapes.ts';
import { csvRow } from './csv.ts';
import type { Job } from './run/job.ts';
import { RECORD_COLUMN, type RecordOption, type RecordOptions } from './source.ts';

const WORD = { type: ['string', 'number', 'boolean', 'null'] };

/** The JSON Schema of a record: flags and the profile may give all of it but its key. */
export function recordSchema({ fields, packages, recordOptions = {}, requiresKey }: Job<never>) {
  const { properties, ...body } = jsonSchema(fields);
  const own = isRecord(properties) ? properties : {};
  const options = Object.entries(recordOptions).map(([name, option]) => [
    name,
    optionSchema(option, own[name]),
  ]);
  return {
    ...body,
    properties: {
      key: { type: ['string', 'number'], description: 'Your own name for it, such as an order number' },
      ...own,
      ...(packages && {
        package: {
          description: 'A package such as 2x1.5kg@30x20x10cm, or a list of them',
          anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
        },
      }),
      ...Object.fromEntries(options),
      [RECORD_COLUMN]: {
        type: ['string', 'null'],
        description: 'Which record of an earlier file it was, as --failed wrote it',
      },
    },
    patternProperties: { '^_': {} },
    required: requiresKey ? ['key'] : [],
  };
}

/** `field`: what the body has under this name. */
function optionSchema(option: RecordOption, field: unknown): Record<string, unknown> {
  const { description } = option;
  if ('parse' in option) return { ...WORD, description: `${description}: ${option.allowed}` };
  return { description, anyOf: [WORD, ...(field === undefined ? [] : [field])] };
}

const COMMAS = { delimiter: ',' };
const LEAVES: readonly string[] = ['text', 'number', 'boolean', 'country', 'choice'];

/** A CSV with every header that a record may have, and one example row, whose key is `key`. */
export function template(fields: Schema, recordOptions: RecordOptions, key: string): string {
  const own = Object.entries(recordOptions).map(([name, option]) => ({
    name,
    path: 'path' in option ? option.path : undefined,
  }));
  const paths = fieldsOf(fields)
    .filter(({ kind, pattern }) => LEAVES.includes(kind) && !pattern.endsWith('[]'))
    .map(({ pattern }) => pattern)
    .filter(pattern => !own.some(({ path }) => path === pattern));
  const body = sampleOf(fields);
  const cellAt = (path = '') => String(getAt(body, path.replaceAll('[]', '[0]')) ?? '');
  const header = ['key', ...own.map(({ name }) => name), ...paths];
  const cells = [
    key,
    ...own.map(({ path }) => (path === undefined ? '' : cellAt(path))),
    ...paths.map(cellAt),
  ];
  return csvRow(header, COMMAS) + csvRow(cells, COMMAS);
}
