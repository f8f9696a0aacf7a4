import type { Command } from 'commander';
import { jsonSchema, openapi } from '../contract/openapi.ts';
import { OPERATIONS } from '../contract/operations.ts';
import { sampleOf } from '../contract/sample.ts';
import { Failure } from '../errors.ts';
import { nearest } from '../nearest.ts';
import type { View } from '../output/print.ts';
import { safeJson } from '../output/safe.ts';
import { table } from '../output/table.ts';
import type { Act } from '../session/command.ts';
import type { Session } from '../session/session.ts';
import { VERSION } from '../session/version.ts';

interface SchemaOptions {
  example?: boolean;
  openapi?: boolean;
}

const ALL = Object.values(OPERATIONS);

export function define(command: Command, act: Act): void {
  command
    .argument(
      '[operation]',
      `left out: a list of all; else one of ${[...new Set(ALL.map(operation => operation.command))].join(', ')}`,
    )
    .option('--example', 'an example of the request body in place of its JSON Schema')
    .option('--openapi', 'the whole service as an OpenAPI 3.1 document')
    .action(act<SchemaOptions>(schema));
}

async function schema({ printer }: Session, options: SchemaOptions, name?: string): Promise<void> {
  if (options.openapi) return printer.result(openapi(VERSION), documentView);
  if (name === undefined) {
    if (options.example)
      throw new Failure(
        'usage',
        '--example is of an operation: name one, such as `waybill schema ship --example`',
      );
    return printer.result(ALL.map(summaryOf), listView);
  }
  // Two operations share the command `track`; the id names either.
  const operation = ALL.find(({ command, id }) => command === name || id === name);
  if (operation === undefined) {
    const guess = nearest(
      name,
      ALL.flatMap(({ command, id }) => [command, id]),
    );
    throw new Failure(
      'usage',
      `there is no operation ${JSON.stringify(name)}${guess === undefined ? '' : ` (did you mean ${guess}?)`}; \`waybill schema\` lists them`,
    );
  }
  const { body } = operation;
  if (options.example) {
    if (body === undefined)
      throw new Failure(
        'usage',
        `${name} is a GET without a body, so that there is no example of one; \`waybill schema ${name}\` shows what it gives`,
      );
    return printer.result(sampleOf(body), documentView);
  }
  return printer.result(body ? jsonSchema(body) : jsonSchema(operation.success.schema), documentView);
}

const summaryOf = ({ command, id, method, path, summary }: (typeof ALL)[number]) => ({
  command,
  id,
  method,
  path,
  summary,
});

const listView: View<ReturnType<typeof summaryOf>[]> = {
  essential: rows => rows.map(row => row.command),
  table: (rows, look) =>
    table(look, {
      head: ['command', 'operation', 'request', 'what it does'],
      rows: rows.map(row => [row.command, row.id, `${row.method} ${row.path}`, row.summary]),
    }),
};

const documentView: View<unknown> = {
  essential: body => [safeJson(body)],
  table: async body => safeJson(body, 2),
};
