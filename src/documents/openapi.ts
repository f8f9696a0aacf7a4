import { readdirSync, readFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { OPERATIONS, type Operation } from '../contract/operations.ts';
import type { Schema } from '../contract/shapes.ts';
import { ANSWERS } from './answers.ts';

type JsonSchema = Record<string, unknown>;

/**
 * The JSON Schema (2020-12) of a body or an answer. A part that occurs more than once, such as a party or the codes of countries, stands in
 * it once.
 */
export function jsonSchema(schema: Schema): JsonSchema {
  let country: object | undefined;
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    override(context) {
      const { jsonSchema: field } = context;
      const words = Object.values((field['x-values'] ?? {}) as Record<string, string>);
      if (words.every(word => word === '')) delete field['x-values'];
      if (field['x-kind'] !== 'country') return;
      delete field['x-kind'];
      country = { type: field.type, enum: field.enum };
      delete field.enum;
      field.$ref = '#/$defs/country';
    },
  });
  const document = { ...rest, $defs: country ? { country } : {} };
  while (putOnce(document));
  return Object.keys(document.$defs).length > 0 ? document : rest;
}

/** Moves the largest object that occurs more than once to `$defs`. Gives false if there is no such object. */
function putOnce(document: JsonSchema & { $defs: Record<string, unknown> }): boolean {
  const objects = new Map<string, { name: string; part: JsonSchema }[]>();
  for (const object of objectsIn(document)) {
    const { description: _, ...same } = object.part;
    const text = JSON.stringify(same);
    objects.set(text, [...(objects.get(text) ?? []), object]);
  }
  const [largest] = [...objects]
    .filter(([, places]) => places.length > 1)
    .sort(([left], [right]) => right.length - left.length);
  if (largest === undefined) return false;
  const [text, places] = largest;
  const field = places[0]?.name ?? '';
  const name = Object.hasOwn(document.$defs, field) ? `${field}Object` : field;
  for (const { part } of places) {
    for (const key of Object.keys(part)) if (key !== 'description') delete part[key];
    part.$ref = `#/$defs/${name}`;
  }
  document.$defs[name] = JSON.parse(text);
  return true;
}

/** The objects in a document, each with the name of the field that has it. */
const objectsIn = (document: JsonSchema): { name: string; part: JsonSchema }[] =>
  ['properties', '$defs'].flatMap(group =>
    Object.entries((document[group] ?? {}) as Record<string, JsonSchema>).flatMap(([name, field]) => {
      const part = (field.items ?? field) as JsonSchema;
      return part.type === 'object' ? [{ name, part }, ...objectsIn(part)] : [];
    }),
  );

/** A JSON Schema without `$schema`, the name of its dialect, which belongs only at the head of a document. */
function selfContained(schema: Schema): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema);
  return rest;
}

// The address of the emulator: the service document shows no address.
const HERE = 'http://127.0.0.1:8787';

const PRODUCTION = {
  url: '{base_url}',
  description: 'production',
  variables: { base_url: { default: HERE } },
};

const SANDBOX = {
  url: '{sandbox_base_url}',
  description: 'sandbox: creates no real shipments',
  variables: { sandbox_base_url: { default: `${HERE}/sandbox` } },
};

const FIXTURES = 'fixtures/service';

/** Each body of the fixtures, by its path, such as `v1/shipments/POST/full.request.json`. The fixtures exist when the build runs. */
const EXAMPLES: readonly [name: string, value: unknown][] = readdirSync(FIXTURES, {
  recursive: true,
  encoding: 'utf8',
})
  .map(name => name.replaceAll('\\', '/'))
  .filter(name => name.endsWith('.json'))
  .sort()
  .map(name => [name, JSON.parse(readFileSync(`${FIXTURES}/${name}`, 'utf8'))]);

const EXAMPLE = /^(.+)\/([A-Z]+)\/([\w-]+)\.(request|\d{3})\.json$/;

/** The examples of an operation, by title: of its request, or of its answer with a status. */
function examples(
  operation: Operation,
  requestOrStatus: 'request' | number,
): Record<string, { value: unknown }> {
  return Object.fromEntries(
    EXAMPLES.flatMap(([name, value]) => {
      const [, folder, verb, title = '', kind] = EXAMPLE.exec(name) ?? [];
      const isOurs =
        `/${folder}` === operation.path && verb === operation.method && kind === String(requestOrStatus);
      return isOurs ? [[title, { value }]] : [];
    }),
  );
}

const jsonContent = (operation: Operation, schema: Schema, requestOrStatus: 'request' | number) => ({
  'application/json': { schema: selfContained(schema), examples: examples(operation, requestOrStatus) },
});

const responses = (operation: Operation): Record<string, unknown> => ({
  [operation.success.status]: {
    description: operation.success.description,
    content: jsonContent(operation, ANSWERS[operation.id], operation.success.status),
  },
  // Errors without a schema: the service document does not show what their bodies look like.
  ...Object.fromEntries(
    Object.entries(operation.errors).map(([status, description]) => [status, { description }]),
  ),
});

function operationText(operation: Operation): string {
  const { section, contract, scope, books, perMinute, rules } = operation;
  return [
    `Section ${section} of the service document.`,
    ...(contract ? ['Requires a contract with the provider.'] : []),
    ...(scope === null || scope === 'any' ? [] : [`Requires the scope ${scope}.`]),
    ...(books ? ['Creates something: never repeat it after a lost answer.'] : []),
    ...(perMinute === undefined ? [] : [`At most ${perMinute} requests a minute.`]),
    ...rules.map(rule => rule.description),
  ].join('\n');
}

function pathItem(operation: Operation): Record<string, unknown> {
  return {
    [operation.method.toLowerCase()]: {
      operationId: operation.id,
      summary: operation.summary,
      description: operationText(operation),
      ...(operation.scope === null && { security: [] }),
      ...(operation.sandbox && { servers: [PRODUCTION, SANDBOX] }),
      'x-sandbox': operation.sandbox,
      parameters: Object.entries(operation.parameters).map(([name, description]) => ({
        name,
        in: 'path',
        required: true,
        description,
        schema: { type: 'string' },
      })),
      ...(operation.body && {
        requestBody: { required: true, content: jsonContent(operation, operation.body, 'request') },
      }),
      responses: responses(operation),
    },
  };
}

/**
 * The service as an OpenAPI 3.1 document. The service document shows neither an address nor how the credential is sent: the servers are
 * variables, and the security scheme is the usual bearer token.
 */
export function openapiDocument(version: string): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of Object.values(OPERATIONS))
    paths[operation.path] = { ...paths[operation.path], ...pathItem(operation) };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Shipping service: shipments, rates, carrier labels and webhook subscriptions',
      version,
      description:
        'Operations marked x-sandbox exist under the sandbox address too, with the same paths. The shape of error bodies is not known.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [PRODUCTION],
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description:
            'The service document does not show how the credential travels; this is the usual way.',
        },
      },
    },
  };
}
