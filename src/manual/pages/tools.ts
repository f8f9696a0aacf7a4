import type { Pages } from '../page.ts';

export const PAGES: Pages = {
  schema: {
    description: 'Show what the service takes and gives: JSON Schema, examples, OpenAPI.',
    examples: [
      '# The operations; an order to start from; the whole service.',
      'waybill schema',
      'waybill schema ship --example > order.json',
      'waybill schema --openapi > openapi.json',
    ],
    output: {
      table: 'without an operation a line for each; else the document as JSON',
      quiet: 'without an operation the name of each; else the document in one line',
      json: 'without an operation a list of command, id, method, path, summary; else the document',
    },
  },
  completion: {
    description: 'Print the script that completes commands, options and values in a shell.',
    examples: [
      '# For this shell; the head of the script says how to keep it.',
      'source <(waybill completion bash)',
    ],
    output: { table: 'the script, whatever the output format' },
  },
  help: {
    description: 'Show the page of a command, or of a topic.',
    examples: [
      '# The page of a command, and that of a topic.',
      'waybill help webhook create',
      'waybill help exit-codes',
    ],
    output: { table: 'the page' },
  },
};
