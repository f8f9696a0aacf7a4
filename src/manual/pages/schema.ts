import type { Pages } from '../page.ts';

export const PAGES: Pages = {
  schema: {
    description: 'Show what the service accepts and answers: JSON Schema, examples, OpenAPI.',
    examples: [
      '# List the operations, print an example order and the service as OpenAPI.',
      'waybill schema',
      'waybill schema ship --example > order.json',
      'waybill schema --openapi > openapi.json',
    ],
    output: {
      table: 'without an operation one line for each; otherwise the document as JSON',
      quiet: 'without an operation the name of each; otherwise the document in one line',
      json: 'without an operation a list of command, id, method, path, summary; otherwise the document',
    },
  },
};
