// The JSON Schema of a file of rules, made from the table by which such a file is read.
import { RULE, type RuleField, type RuleFields } from '../order/rules.ts';

export const ruleSchema = () => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'urn:waybill:schema:rules:1',
  title: 'rules',
  description: 'The file of --rules, and of `rules` of a profile: the first rule that fits an order counts.',
  type: 'array',
  items: objectSchema(RULE),
});

function objectSchema(fields: RuleFields): Record<string, unknown> {
  const required = Object.keys(fields).filter(name => fields[name]?.isRequired);
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fieldSchema(field)])),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

const fieldSchema = ({ help, allowed, schema, fields }: RuleField): Record<string, unknown> => ({
  description: fields ? help : `${help}: ${allowed}`,
  ...(fields ? objectSchema(fields) : schema),
});
