// Reads the OpenAPI document as a stranger would: from its JSON alone. Never import src/contract here.
import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** A JSON Schema, as far as we walk it. */
export interface Shape {
  description?: string;
  required?: string[];
  properties?: Record<string, Shape>;
  additionalProperties?: Shape | boolean;
  items?: Shape;
}

export interface Media {
  schema: Shape;
  examples?: Record<string, { value: unknown }>;
}

interface Server {
  url: string;
  variables?: Record<string, { default: string }>;
}

export interface Described {
  operationId: string;
  tags: string[];
  security?: Record<string, string[]>[];
  servers?: Server[];
  parameters: { name: string; in: string; required: boolean; schema: Shape }[];
  requestBody?: { required: boolean; content: Record<string, Media> };
  responses: Record<string, { description: string; content?: Record<string, Media> }>;
}

export interface Document {
  servers: Server[];
  security: Record<string, string[]>[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Described>>;
  components: { securitySchemes: Record<string, { type: string; scheme: string }> };
}

/** Each operation with its path and method. */
export const operationsOf = ({ paths }: Document): { path: string; method: string; operation: Described }[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );

export interface Body extends Media {
  /** As the folders of fixtures/service have it: `v1/shipments/POST`. */
  folder: string;
  /** `request`, or the status of an answer. */
  kind: string;
}

/** Every body that the document has a schema of. */
export const bodiesOf = (document: Document): Body[] =>
  operationsOf(document).flatMap(({ path, method, operation: { requestBody, responses } }) =>
    Object.entries({ ...(requestBody && { request: requestBody }), ...responses }).flatMap(
      ([kind, { content = {} }]) =>
        Object.values(content).map(media => ({ ...media, folder: `${path.slice(1)}/${method}`, kind })),
    ),
  );

// Not strict: it would refuse the extensions (`x-kind`, `x-values`) that OpenAPI allows.
const ajv = new Ajv2020({ allErrors: true, strict: false });
addFormats.default(ajv);

const compiled = new WeakMap<Shape, ValidateFunction>();

/** What a JSON Schema validator that knows nothing of ours says against a value, a line each. */
export function faultsOf(schema: Shape, value: unknown): string[] {
  const validate = compiled.get(schema) ?? ajv.compile(schema);
  compiled.set(schema, validate);
  validate(value);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

export const fixture = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../fixtures/service/${encodeURI(name)}`, import.meta.url), 'utf8'));
