import * as z from 'zod/mini';
import type { Operation, Schema } from './operation.ts';
import { OPERATIONS } from './operations.ts';

/** The JSON Schema (2020-12) of a body or an answer. */
export function jsonSchema(schema: Schema): Record<string, unknown> {
  const { $schema: _, ...rest } = z.toJSONSchema(schema) as Record<string, unknown>;
  return rest;
}

// The address of the emulator, where there is no other.
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

const json = (schema: Record<string, unknown>) => ({ 'application/json': { schema } });

function responses({ success, errors }: Operation): Record<string, unknown> {
  const failures = Object.entries(errors).map(([status, says]) => [
    status,
    // The document does not show the shape of an error body: anything goes.
    { description: says },
  ]);
  return {
    [success.status]: { description: success.says, content: json(jsonSchema(success.schema)) },
    ...Object.fromEntries(failures),
  };
}

function describe(operation: Operation): string {
  return [
    ...(operation.contract ? ['Requires a contract with the provider.'] : []),
    ...(operation.books ? ['Creates something: never repeat it after an answer that was lost.'] : []),
    ...operation.rules.map(rule => rule.says),
  ].join('\n');
}

function pathItem(operation: Operation): Record<string, unknown> {
  return {
    [operation.method.toLowerCase()]: {
      operationId: operation.id,
      summary: operation.summary,
      description: describe(operation),
      ...(operation.scope === null && { security: [] }),
      ...(operation.sandbox && { servers: [PRODUCTION, SANDBOX] }),
      'x-sandbox': operation.sandbox,
      parameters: Object.entries(operation.parameters).map(([name, says]) => ({
        name,
        in: 'path',
        required: true,
        description: says,
        schema: { type: 'string' },
      })),
      ...(operation.body && {
        requestBody: { required: true, content: json(jsonSchema(operation.body)) },
      }),
      responses: responses(operation),
    },
  };
}

/**
 * The service as an OpenAPI 3.1 document. The service document shows neither an address nor how the credential
 * travels: the servers are variables, and the security scheme is the usual bearer token.
 */
export function openapi(version: string): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of Object.values(OPERATIONS))
    paths[operation.path] = { ...paths[operation.path], ...pathItem(operation) };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Shipping service: shipments, rates, carrier labels and webhook subscriptions',
      version,
      description: 'Operations marked x-sandbox exist under the sandbox address too, with the same paths.',
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
