import { OPERATIONS } from '../contract/operations.ts';
import { sampleOf } from '../contract/shapes.ts';
import { Failure } from '../errors.ts';
import { didYouMean } from '../nearest.ts';
import { paragraph } from '../output/look.ts';
import type { View } from '../output/print.ts';
import { table } from '../output/table.ts';
import { safeJson } from '../output/text.ts';
import { declare, operand } from '../session/command.ts';
import { flag, type OptionsOf } from '../session/flags.ts';
import type { Session } from '../session/session.ts';

const ALL = Object.values(OPERATIONS);
/** The outputs of waybill itself. Their schemas are loaded only when one is asked for. */
export const OUTPUT_NAMES = [
  'booking',
  'results',
  'summary',
  'history',
  'history-summary',
  'history-handover',
  'history-export',
  'history-reconcile',
  'history-check',
  'history-move',
  'doctor',
  'papers',
  'plan',
  'error',
  'log',
] as const;
const isOutput = (name: string): name is (typeof OUTPUT_NAMES)[number] =>
  (OUTPUT_NAMES as readonly string[]).includes(name);
const loadSchemas = async () => (await import('waybill:schemas')).schemas;

const FLAGS = {
  example: flag('--example', 'print an example of the request body instead of its JSON Schema'),
  openapi: flag('--openapi', 'print the whole service as an OpenAPI 3.1 document'),
};

export const command = declare({
  examples: [
    '# An example order, and the service as OpenAPI.',
    'waybill schema ship --example > order.json',
    'waybill schema --openapi > openapi.json',
    '# What a line of the results of a batch may be.',
    'waybill schema results',
  ],
  output: {
    table: 'one line for each operation; of one the document as JSON',
    quiet: 'the name of each; of one the document in one line',
    json: 'a list of command, id, method, path, summary; of one the document in one line',
  },
  operands: [
    operand(
      '[operation]',
      `an operation (default: list all): ${[...new Set(ALL.map(operation => operation.command))].join(', ')}; or an output of waybill: ${OUTPUT_NAMES.join(', ')}; or rules, for a file of --rules; or commands, for all commands with their options`,
    ),
  ],
  flags: FLAGS,
  run: showSchema,
});

async function showSchema(session: Session, options: OptionsOf<typeof FLAGS>, name?: string): Promise<void> {
  const { printer } = session;
  if (options.openapi) return printer.result((await loadSchemas()).openapi, documentView);
  if (name === 'commands' && !options.example)
    return printer.result((await import('waybill:commands')).commands, documentView);
  if (name === undefined) {
    if (options.example)
      throw new Failure('usage', '--example needs an operation, such as `waybill schema ship --example`');
    const rows = ALL.map(({ command, id, method, path, summary }) => ({
      command,
      id,
      method,
      path,
      summary,
    }));
    return printer.result(rows, {
      essential: () => rows.map(row => row.command),
      table: async (_, look) =>
        `${await table(look, {
          head: ['command', 'operation', 'request', 'what it does'],
          rows: rows.map(row => [row.command, row.id, `${row.method} ${row.path}`, row.summary]),
        })}\n\n${await paragraph(look, `What waybill itself prints has a schema, too: ${OUTPUT_NAMES.join(', ')}.`)}`,
    });
  }
  if (name === 'rules') {
    if (options.example)
      throw new Failure(
        'usage',
        'docs/rules.md has examples of rules. `waybill schema rules` describes them',
      );
    return printer.result((await loadSchemas()).rules, documentView);
  }
  if (isOutput(name)) {
    if (options.example)
      throw new Failure(
        'usage',
        `${name} is an output of waybill, of which there is no example. \`waybill schema ${name}\` shows its schema`,
      );
    return printer.result((await loadSchemas()).outputs[name], documentView);
  }
  // Two operations share the command `track`; the id names one of them.
  const operation = ALL.find(({ command, id }) => command === name || id === name);
  if (operation === undefined) {
    const names = [...ALL.flatMap(({ command, id }) => [command, id]), ...OUTPUT_NAMES, 'rules'];
    throw new Failure(
      'usage',
      `there is no operation or output ${JSON.stringify(name)}${didYouMean(name, names)}. \`waybill schema\` lists all`,
    );
  }
  const { body } = operation;
  if (options.example) {
    if (body === undefined)
      throw new Failure(
        'usage',
        `${name} has no request body, so there is no example of one. \`waybill schema ${name}\` shows its answer`,
      );
    return printer.result(sampleOf(body), documentView);
  }
  return printer.result((await loadSchemas()).operations[operation.id], documentView);
}

const documentView: View<unknown> = {
  streamed: true,
  essential: body => [safeJson(body)],
  table: async body => documentText(body),
};

/** JSON with each list of words on one line: a document is also read by programs that pay for its length. */
const documentText = (body: unknown): string =>
  safeJson(body, 2).replace(
    /\[\n\s+("[^"\n]*"(?:,\n\s+"[^"\n]*")*)\n\s+\]/g,
    (_, words: string) => `[${words.replace(/,\n\s+/g, ', ')}]`,
  );
