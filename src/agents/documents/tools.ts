// What a client of `waybill mcp` is shown of each tool: its arguments, and its answer.

import * as z from 'zod/mini';
import { getAt, isRecord } from '../../contract/paths.ts';
import { about } from '../../contract/shapes.ts';
import { openSchema, PLAN, RECORD } from '../../output/schemas.ts';
import { TOOLS, type ToolName } from '../tools.ts';

type JsonSchema = Record<string, unknown>;

/** The schemas of each tool, by its name. A field that the answer of an earlier tool described is not described again. */
export function tools() {
  const described = new Set<string>();
  return Object.fromEntries(
    TOOLS.map(({ name, input }) => [
      name,
      {
        input: listedSchema(z.toJSONSchema(input), new Set()),
        output: listedSchema(ANSWERS[name], described),
      },
    ]),
  ) as Record<ToolName, Record<'input' | 'output', JsonSchema>>;
}

const shapeOf = (fields: Record<string, z.ZodMiniType>, description?: string) => ({
  ...openSchema(z.object(fields)),
  ...(description !== undefined && { description }),
});

/** The fields of a booking, in the words of tools. A field whose name says enough has no description: a model pays for each word. */
const OF_BOOKING = z.extend(RECORD, {
  ...undescribed('id', 'operation', 'sandbox', 'carrier', 'currency', 'run', 'actor'),
  place: about('The address of the service, and the account; or demo', RECORD.shape.place.clone()),
  exitCode: about('Of the command that does the same', RECORD.shape.exitCode.clone()),
  sent: about('Was it sent by this call? Else its recorded answer is shown', RECORD.shape.sent.clone()),
  overPrice: about('Is its price above maxPrice, or not comparable?', RECORD.shape.overPrice.clone()),
  choice: about('Why this carrier: rule, bound, proposals with why not', z.nullable(z.looseObject({}))),
  shipmentIds: about('The international one first', RECORD.shape.shipmentIds.clone()),
  trackingNumbers: about('In the same order', RECORD.shape.trackingNumbers.clone()),
  labelFiles: about('Paths of saved labels', RECORD.shape.labelFiles.clone()),
}).shape;

function undescribed<N extends keyof typeof RECORD.shape>(...names: N[]) {
  const shape: Pick<typeof RECORD.shape, N> = RECORD.shape;
  return Object.fromEntries(names.map(name => [name, about('', shape[name].clone())])) as typeof shape;
}

const OF_LABEL = z.partial(
  z.pick(z.object(OF_BOOKING), { state: true, trackingNumbers: true, labelFiles: true }),
);

const ANSWERS: Readonly<Record<ToolName, JsonSchema>> = {
  quote: {
    type: 'object',
    description: 'The answer of the service, as others wrote it: proposals and chargeableWeight',
  },
  order_schema: shapeOf({
    operation: z.string(),
    schema: about('A JSON Schema', z.record(z.string(), z.unknown())),
    example: about('A whole request', z.record(z.string(), z.unknown())),
  }),
  plan: shapeOf(
    z.partial(
      z.object({
        hash: about('What ship takes', PLAN.shape.hash.clone()),
        key: about('', PLAN.shape.key.clone()),
        request: about('What is sent', PLAN.shape.request.clone()),
        carrier: about('', PLAN.shape.carrier.clone()),
        price: about('As the service sent it', PLAN.shape.price.clone()),
        currency: about('', PLAN.shape.currency.clone()),
        days: about('The most that it may take', PLAN.shape.days.clone()),
        expires: about('', PLAN.shape.expires.clone()),
      }),
    ).shape,
    'The plan; if the key is booked, that booking as of ship',
  ),
  ship: shapeOf(OF_BOOKING),
  label: shapeOf(
    { ...OF_LABEL.shape, bookings: z.optional(z.array(OF_LABEL)) },
    'The booking of the label, as of ship; several in bookings',
  ),
  track: shapeOf({
    shipments: about(
      'The answer of the service for each, as others wrote it; {id, error} for one that failed',
      z.array(z.unknown()),
    ),
  }),
  history: shapeOf({
    orders: about(
      'Each with id, key, state, at, carrier, price, shipmentIds, trackingNumbers, reason (by others) and more',
      z.array(z.looseObject({})),
    ),
    plan: z.optional(
      about('state: new (not booked), booked, duplicate, pending, unknown, expired', z.looseObject({})),
    ),
    more: about('Are there older ones?', z.boolean()),
  }),
};

/** A schema for the list of tools, without what tells a model nothing. `described`: names and descriptions so far. */
function listedSchema(schema: JsonSchema, described: Set<string>, name = ''): JsonSchema {
  const {
    $schema: _,
    propertyNames: __,
    pattern: ___,
    anyOf,
    properties,
    items,
    description = '',
    examples,
    additionalProperties,
    ...rest
  } = schema;
  const words = `${name}: ${description} ${examples}`;
  const isNew = name === '' || !described.has(words);
  described.add(words);
  const part = (schema: unknown, inner = '') =>
    isRecord(schema) ? listedSchema(schema, described, inner) : schema;
  const types = Array.isArray(anyOf) ? anyOf.map(type => getAt(type, ['type'])) : [];
  const isOfTypes = types.length > 0 && types.every(type => typeof type === 'string');
  return {
    // Zod adds the largest whole numbers of JavaScript as bounds, which tell an agent nothing.
    ...Object.fromEntries(
      Object.entries(rest).filter(([, value]) => Math.abs(Number(value)) !== Number.MAX_SAFE_INTEGER),
    ),
    // `additionalProperties` is listed only if false: by default an object may have any fields.
    ...(additionalProperties === false && { additionalProperties }),
    ...(isNew && description !== '' && { description }),
    ...(isNew && examples !== undefined && { examples }),
    ...(Array.isArray(anyOf) && (isOfTypes ? { type: types } : { anyOf: anyOf.map(type => part(type)) })),
    ...(isRecord(properties) && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([inner, schema]) => [inner, part(schema, inner)]),
      ),
    }),
    ...(items !== undefined && { items: part(items) }),
  };
}
