import type { Pages } from '../page.ts';

export const PAGES: Pages = {
  schema: {
    description:
      'Show what the service accepts and answers (JSON Schema, examples, OpenAPI), and what waybill itself prints (JSON Schema).',
    examples: [
      '# List the operations, print an example order and the service as OpenAPI.',
      'waybill schema',
      'waybill schema ship --example > order.json',
      'waybill schema --openapi > openapi.json',
      '# What a line of the results of a batch may be.',
      'waybill schema results',
    ],
    output: {
      table: 'without an operation one line for each; otherwise the document as JSON',
      quiet: 'without an operation the name of each; otherwise the document in one line',
      json: 'without an operation a list of command, id, method, path, summary; otherwise the document',
    },
  },
};
