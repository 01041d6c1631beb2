import { Int32 } from 'bson';
import { compileJsonSchema } from '../query/json-schema.ts';
import { type Doc, isDoc, typeName, type Value } from '../query/value.ts';

/** The rules of a `$jsonSchema` that a value breaks, each with what it met, as MongoDB tells them. */
export function unsatisfiedRules(schema: Doc, value: Value): Doc[] {
  return [...schema.keys()]
    .filter((keyword) => !keeps(schema, keyword, value))
    .map((keyword) => explainRule(schema, keyword, value));
}

function keeps(schema: Doc, keyword: string, value: Value): boolean {
  const rule = new Map([[keyword, schema.get(keyword) as Value]]);
  for (const partner of PARTNERS[keyword] ?? []) {
    const beside = schema.get(partner);
    // Beside `additionalProperties` only the names count.
    if (beside !== undefined)
      rule.set(partner, isDoc(beside) ? new Map([...beside.keys()].map((name) => [name, new Map()])) : beside);
  }
  return compileJsonSchema(rule)(value as Doc);
}

/** Keywords that mean something only beside others. */
const PARTNERS: Readonly<Record<string, readonly string[]>> = {
  minimum: ['exclusiveMinimum'],
  maximum: ['exclusiveMaximum'],
  exclusiveMinimum: ['minimum'],
  exclusiveMaximum: ['maximum'],
  additionalProperties: ['properties', 'patternProperties'],
};

function explainRule(schema: Doc, keyword: string, value: Value): Doc {
  const operand = schema.get(keyword) as Value;
  const rule: Doc = new Map([['operatorName', keyword as Value]]);
  const specified = new Map([[keyword, operand]]);
  if (keyword === 'properties' && isDoc(operand) && isDoc(value))
    return rule.set('propertiesNotSatisfied', brokenProperties(operand, value));
  if (keyword === 'required' && Array.isArray(operand) && isDoc(value)) {
    const missing = operand.filter((name) => !value.has(name as string));
    return rule.set('specifiedAs', specified).set('missingProperties', missing);
  }
  if (keyword === 'additionalProperties' && isDoc(value)) {
    const known = isDoc(schema.get('properties')) ? (schema.get('properties') as Doc) : new Map();
    return rule.set('specifiedAs', specified).set(
      'additionalProperties',
      [...value.keys()].filter((name) => !known.has(name)),
    );
  }
  if (keyword === 'items' && isDoc(operand) && Array.isArray(value)) {
    const index = value.findIndex((item) => unsatisfiedRules(operand, item).length > 0);
    rule.set('reason', 'At least one item did not match the sub-schema').set('itemIndex', new Int32(index));
    return rule.set('details', unsatisfiedRules(operand, value[index] as Value));
  }
  rule
    .set('specifiedAs', specified)
    .set('reason', REASONS[keyword] ?? 'failed to match')
    .set('consideredValue', value);
  return keyword === 'bsonType' || keyword === 'type' ? rule.set('consideredType', typeName(value)) : rule;
}

function brokenProperties(properties: Doc, doc: Doc): Doc[] {
  return [...properties].flatMap(([name, schema]) => {
    const value = doc.get(name);
    const broken = value === undefined || !isDoc(schema) ? [] : unsatisfiedRules(schema, value);
    if (broken.length === 0) return [];
    const description = (schema as Doc).get('description');
    return [
      new Map<string, Value>([
        ['propertyName', name],
        ...(description === undefined ? [] : [['description', description] as const]),
        ['details', broken],
      ]),
    ];
  });
}

const REASONS: Readonly<Record<string, string>> = {
  bsonType: 'type did not match',
  type: 'type did not match',
  enum: 'value was not found in enum',
  minimum: 'comparison failed',
  maximum: 'comparison failed',
  minLength: 'specified string length was not satisfied',
  maxLength: 'specified string length was not satisfied',
  pattern: 'regular expression did not match',
  minItems: 'array did not match specified length',
  maxItems: 'array did not match specified length',
  uniqueItems: 'found a duplicate item',
  minProperties: 'specified number of properties was not satisfied',
  maxProperties: 'specified number of properties was not satisfied',
  multipleOf: 'considered value is not a multiple of the specified value',
};
