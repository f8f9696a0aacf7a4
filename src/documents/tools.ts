// What a client of `waybill mcp` is shown of each tool: its arguments, and its answer.

import * as z from 'zod/mini';
import { TOOLS, type ToolName } from '../commands/mcp/tools.ts';
import { getAt, isRecord } from '../contract/paths.ts';
import { about } from '../contract/shapes.ts';
import { openSchema, PLAN, RECORD } from '../output/schemas.ts';

type JsonSchema = Record<string, unknown>;

/** By the name of the tool. */
export const toolSchemas = () =>
  Object.fromEntries(
    TOOLS.map(({ name, input }) => [
      name,
      { input: listed(z.toJSONSchema(input)), output: listed(ANSWERS[name]) },
    ]),
  ) as Record<ToolName, Record<'input' | 'output', JsonSchema>>;

const shapeOf = (fields: Record<string, z.ZodMiniType>, description?: string) => ({
  ...openSchema(z.object(fields)),
  ...(description !== undefined && { description }),
});

/** Fields of a booking whose description names options: a tool has arguments. */
const IN_WORDS_OF_TOOLS = z.extend(RECORD, {
  overPrice: about(
    'Is its price above maxPrice, or not comparable? null without maxPrice or a price',
    RECORD.shape.overPrice.clone(),
  ),
  run: about('Which run booked it', RECORD.shape.run.clone()),
  actor: about('Who booked it', RECORD.shape.actor.clone()),
}).shape;

/** What `ship` has already told of a booking is not told again: the list of tools is read by a model, and paid for. */
const asOfShip = z.partial(z.pick(RECORD, { state: true, trackingNumbers: true, labelFiles: true })).shape;

const ANSWERS: Readonly<Record<ToolName, JsonSchema>> = {
  quote: { type: 'object', description: 'The answer of the service: proposals and chargeableWeight' },
  order_schema: shapeOf({
    operation: z.string(),
    schema: about('A JSON Schema', z.record(z.string(), z.unknown())),
    example: about('A whole request', z.record(z.string(), z.unknown())),
  }),
  plan: shapeOf(
    z.partial(
      z.pick(PLAN, {
        hash: true,
        key: true,
        request: true,
        carrier: true,
        price: true,
        currency: true,
        days: true,
        expires: true,
      }),
    ).shape,
    'The plan; if the key is booked, the booking as ship shows it',
  ),
  ship: shapeOf(IN_WORDS_OF_TOOLS),
  label: shapeOf(
    { ...asOfShip, bookings: z.optional(z.array(z.object(asOfShip))) },
    'The booking of the label, as ship shows one; several in bookings',
  ),
  track: shapeOf({
    shipments: about(
      'The answer of the service for each; {id, error} for one that failed',
      z.array(z.unknown()),
    ),
  }),
  history: shapeOf({
    orders: about(
      'Each with id, key, state, at, carrier, price, shipmentIds, trackingNumbers, reason and more',
      z.array(z.looseObject({})),
    ),
    plan: z.optional(
      about(
        'Of a plan of this server. state: new (not booked), booked, duplicate, pending, unknown, expired',
        z.looseObject({}),
      ),
    ),
    more: about('Are there older ones?', z.boolean()),
  }),
};

/** A schema in the list of tools: without what says nothing to a model, and a choice of types as a list. */
function listed(schema: JsonSchema): JsonSchema {
  const {
    $schema: _,
    propertyNames: __,
    pattern: ___,
    anyOf,
    properties,
    items,
    description,
    ...rest
  } = schema;
  const part = (one: unknown) => (isRecord(one) ? listed(one) : one);
  const types = Array.isArray(anyOf) ? anyOf.map(one => getAt(one, ['type'])) : [];
  const isOfTypes = types.length > 0 && types.every(type => typeof type === 'string');
  return {
    // Zod adds the largest whole numbers of JavaScript as bounds, which tell an agent nothing.
    ...Object.fromEntries(
      Object.entries(rest).filter(([, value]) => Math.abs(Number(value)) !== Number.MAX_SAFE_INTEGER),
    ),
    ...(typeof description === 'string' && { description }),
    ...(Array.isArray(anyOf) && (isOfTypes ? { type: types } : { anyOf: anyOf.map(part) })),
    ...(isRecord(properties) && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, part(one)])),
    }),
    ...(items !== undefined && { items: part(items) }),
  };
}
