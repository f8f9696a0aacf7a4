import type { Command } from 'commander';
import { jsonSchema, openapi } from '../contract/openapi.ts';
import { OPERATIONS } from '../contract/operations.ts';
import { sampleOf } from '../contract/sample.ts';
import { Failure } from '../errors.ts';
import { didYouMean } from '../nearest.ts';
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
      `an operation (default: list all): ${[...new Set(ALL.map(operation => operation.command))].join(', ')}`,
    )
    .option('--example', 'print an example of the request body instead of its JSON Schema')
    .option('--openapi', 'print the whole service as an OpenAPI 3.1 document')
    .action(act<SchemaOptions>(schema));
}

async function schema({ printer }: Session, options: SchemaOptions, name?: string): Promise<void> {
  if (options.openapi) return printer.result(openapi(VERSION), documentView);
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
      table: (_, look) =>
        table(look, {
          head: ['command', 'operation', 'request', 'what it does'],
          rows: rows.map(row => [row.command, row.id, `${row.method} ${row.path}`, row.summary]),
        }),
    });
  }
  // Two operations share the command `track`; the id names one of them.
  const operation = ALL.find(({ command, id }) => command === name || id === name);
  if (operation === undefined) {
    const names = ALL.flatMap(({ command, id }) => [command, id]);
    throw new Failure(
      'usage',
      `there is no operation ${JSON.stringify(name)}${didYouMean(name, names)}. \`waybill schema\` lists all`,
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
  return printer.result(jsonSchema(body ?? operation.success.schema), documentView);
}

const documentView: View<unknown> = {
  essential: body => [safeJson(body)],
  table: async body => safeJson(body, 2),
};
