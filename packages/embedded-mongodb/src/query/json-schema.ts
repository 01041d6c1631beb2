import { compare, compareNumbers, equals } from './compare.ts';
import { toDecimal } from './decimal.ts';
import { failedToParse, typeMismatch } from './errors.ts';
import { integerOf, typeTest } from './match-operators.ts';
import { compileRegex } from './regex.ts';
import { type Doc, isDoc, isNumber, type NumberValue, type Value } from './value.ts';

/** Compiles a `$jsonSchema` as validators use it; keywords that MongoDB does not know are refused as it refuses them. */
export function compileJsonSchema(schema: Doc): (doc: Doc) => boolean {
  return schemaTest(schema);
}

type SchemaTest = (value: Value) => boolean;

const UNSUPPORTED = new Set(['$ref', '$schema', 'default', 'definitions', 'format', 'id']);
const ANNOTATIONS = new Set(['title', 'description']);

/** JSON's type names, which `type` takes, as BSON's. */
const JSON_TYPES: Readonly<Record<string, string>> = {
  object: 'object',
  array: 'array',
  boolean: 'bool',
  number: 'number',
  string: 'string',
  null: 'null',
};

function schemaTest(schema: Doc): SchemaTest {
  if (schema.has('type') && schema.has('bsonType'))
    throw failedToParse("Cannot specify both $jsonSchema keywords 'type' and 'bsonType'");
  const tests = [...schema].flatMap(([keyword, operand]) => keywordTest(keyword, operand, schema));
  return (value) => tests.every((test) => test(value));
}

function keywordTest(keyword: string, operand: Value, schema: Doc): SchemaTest[] {
  if (ANNOTATIONS.has(keyword)) {
    if (typeof operand !== 'string') throw typeMismatch(`$jsonSchema keyword '${keyword}' must be of type string`);
    return [];
  }
  if (UNSUPPORTED.has(keyword)) throw failedToParse(`$jsonSchema keyword '${keyword}' is not currently supported`);
  const build = Object.hasOwn(KEYWORDS, keyword) ? KEYWORDS[keyword] : undefined;
  if (build === undefined) throw failedToParse(`Unknown $jsonSchema keyword: ${keyword}`);
  return [build(operand, keyword, schema)];
}

type Builder = (operand: Value, keyword: string, schema: Doc) => SchemaTest;

const KEYWORDS: Readonly<Record<string, Builder>> = {
  bsonType: (operand) => typesTest(operand, (name) => name),
  type: (operand) => typesTest(operand, jsonType),
  enum: (operand, keyword) => {
    const allowed = listOf(operand, keyword);
    return (value) => allowed.some((item) => equals(item, value));
  },
  minimum: (operand, keyword, schema) => bound(operand, keyword, schema.get('exclusiveMinimum') === true ? 1 : 0, 1),
  maximum: (operand, keyword, schema) => bound(operand, keyword, schema.get('exclusiveMaximum') === true ? 1 : 0, -1),
  exclusiveMinimum: (operand, keyword, schema) => exclusive(operand, keyword, schema, 'minimum'),
  exclusiveMaximum: (operand, keyword, schema) => exclusive(operand, keyword, schema, 'maximum'),
  multipleOf: (operand, keyword) => {
    const divisor = numberOf(operand, keyword);
    if (divisor.toString().startsWith('-') || isMultiple(divisor, divisor) === undefined) {
      throw failedToParse(`$jsonSchema keyword '${keyword}' must have a positive value`);
    }
    return (value) => !isNumber(value) || isMultiple(value, divisor) === true;
  },
  minLength: (operand, keyword) => counted(operand, keyword, lengthOfText, 1),
  maxLength: (operand, keyword) => counted(operand, keyword, lengthOfText, -1),
  minItems: (operand, keyword) => counted(operand, keyword, lengthOfArray, 1),
  maxItems: (operand, keyword) => counted(operand, keyword, lengthOfArray, -1),
  minProperties: (operand, keyword) => counted(operand, keyword, sizeOfDoc, 1),
  maxProperties: (operand, keyword) => counted(operand, keyword, sizeOfDoc, -1),
  pattern: (operand, keyword) => {
    if (typeof operand !== 'string') throw typeMismatch(`$jsonSchema keyword '${keyword}' must be a string`);
    const compiled = compileRegex(operand, '');
    return (value) => typeof value !== 'string' || compiled.test(value);
  },
  required: (operand, keyword) => {
    const names = namesOf(operand, keyword);
    return (value) => !isDoc(value) || names.every((name) => value.has(name));
  },
  properties: (operand, keyword) => {
    const tests = [...docOf(operand, keyword)].map(([name, schema]) => [name, schemaTest(docOf(schema, keyword))] as const);
    return (value) => !isDoc(value) || tests.every(([name, test]) => !value.has(name) || test(value.get(name) as Value));
  },
  patternProperties: (operand, keyword) => {
    const tests = [...docOf(operand, keyword)].map(([pattern, schema]) => {
      return [compileRegex(pattern, ''), schemaTest(docOf(schema, keyword))] as const;
    });
    return (value) =>
      !isDoc(value) || [...value].every(([name, field]) => tests.every(([pattern, test]) => !pattern.test(name) || test(field)));
  },
  additionalProperties: (operand, keyword, schema) => {
    const known = new Set(isDoc(schema.get('properties')) ? (schema.get('properties') as Doc).keys() : []);
    const patternDoc = schema.get('patternProperties');
    const patterns = isDoc(patternDoc) ? [...patternDoc.keys()].map((pattern) => compileRegex(pattern, '')) : [];
    const test = booleanOrSchema(operand, keyword);
    return (value) =>
      !isDoc(value) ||
      [...value].every(([name, field]) => known.has(name) || patterns.some((pattern) => pattern.test(name)) || test(field));
  },
  items: (operand, keyword) => {
    if (Array.isArray(operand)) {
      const tests = operand.map((schema) => schemaTest(docOf(schema, keyword)));
      return (value) => !Array.isArray(value) || tests.every((test, i) => i >= value.length || test(value[i] as Value));
    }
    const test = schemaTest(docOf(operand, keyword));
    return (value) => !Array.isArray(value) || value.every(test);
  },
  additionalItems: (operand, keyword, schema) => {
    const test = booleanOrSchema(operand, keyword);
    const items = schema.get('items');
    if (!Array.isArray(items)) return () => true;
    return (value) => !Array.isArray(value) || value.slice(items.length).every(test);
  },
  uniqueItems: (operand, keyword) => {
    if (typeof operand !== 'boolean') throw typeMismatch(`$jsonSchema keyword '${keyword}' must be a boolean`);
    return (value) => !operand || !Array.isArray(value) || areUnique(value);
  },
  dependencies: (operand, keyword) => {
    const tests = [...docOf(operand, keyword)].map(([name, needed]) => {
      if (!Array.isArray(needed)) return [name, schemaTest(docOf(needed, keyword))] as const;
      const names = namesOf(needed, keyword);
      return [name, (value: Value) => names.every((other) => (value as Doc).has(other))] as const;
    });
    return (value) => !isDoc(value) || tests.every(([name, test]) => !value.has(name) || test(value));
  },
  allOf: (operand, keyword) => {
    const tests = schemasOf(operand, keyword);
    return (value) => tests.every((test) => test(value));
  },
  anyOf: (operand, keyword) => {
    const tests = schemasOf(operand, keyword);
    return (value) => tests.some((test) => test(value));
  },
  oneOf: (operand, keyword) => {
    const tests = schemasOf(operand, keyword);
    return (value) => tests.filter((test) => test(value)).length === 1;
  },
  not: (operand, keyword) => {
    const test = schemaTest(docOf(operand, keyword));
    return (value) => !test(value);
  },
};

function typesTest(operand: Value, nameOf: (name: string) => string): SchemaTest {
  const names = Array.isArray(operand) ? operand : [operand];
  if (names.length === 0 || !names.every((name) => typeof name === 'string')) {
    throw typeMismatch('$jsonSchema types must be given as a string or a non-empty array of strings');
  }
  return typeTest(names.map(nameOf));
}

function jsonType(name: string): string {
  if (name === 'integer') throw failedToParse("$jsonSchema type 'integer' is not currently supported.");
  const type = Object.hasOwn(JSON_TYPES, name) ? JSON_TYPES[name] : undefined;
  if (type === undefined) throw failedToParse(`Unknown type name alias: ${name}`);
  return type;
}

function bound(operand: Value, keyword: string, strict: 0 | 1, direction: 1 | -1): SchemaTest {
  const limit = numberOf(operand, keyword);
  return (value) => !isNumber(value) || compareNumbers(value, limit) * direction >= strict;
}

function exclusive(operand: Value, keyword: string, schema: Doc, partner: string): SchemaTest {
  if (typeof operand !== 'boolean') throw typeMismatch(`$jsonSchema keyword '${keyword}' must be a boolean`);
  if (!schema.has(partner)) throw failedToParse(`$jsonSchema keyword '${partner}' must be a present if ${keyword} is present`);
  return () => true;
}

function counted(operand: Value, keyword: string, count: (value: Value) => number | undefined, direction: 1 | -1): SchemaTest {
  const limit = integerOf(numberOf(operand, keyword));
  if (limit === undefined || limit < 0n) throw failedToParse(`$jsonSchema keyword '${keyword}' must be a non-negative integer`);
  return (value) => {
    const found = count(value);
    return found === undefined || (found - Number(limit)) * direction >= 0;
  };
}

const lengthOfText = (value: Value) => (typeof value === 'string' ? [...value].length : undefined);
const lengthOfArray = (value: Value) => (Array.isArray(value) ? value.length : undefined);
const sizeOfDoc = (value: Value) => (isDoc(value) ? value.size : undefined);

/** Whether `value` is a whole number of times `divisor`, `undefined` if the divisor is zero or no finite number. */
function isMultiple(value: NumberValue, divisor: NumberValue): boolean | undefined {
  const left = toDecimal(value);
  const right = toDecimal(divisor);
  if (right.kind !== 'finite' || right.coefficient === 0n) return undefined;
  if (left.kind !== 'finite') return false;
  const common = Math.min(left.exponent, right.exponent);
  const scaled = left.coefficient * 10n ** BigInt(left.exponent - common);
  return scaled % (right.coefficient * 10n ** BigInt(right.exponent - common)) === 0n;
}

function numberOf(operand: Value, keyword: string): NumberValue {
  if (!isNumber(operand)) throw typeMismatch(`$jsonSchema keyword '${keyword}' must be a number`);
  return operand;
}

function docOf(operand: Value, keyword: string): Doc {
  if (!isDoc(operand)) throw typeMismatch(`$jsonSchema keyword '${keyword}' must be an object`);
  return operand;
}

function listOf(operand: Value, keyword: string): Value[] {
  if (!Array.isArray(operand)) throw typeMismatch(`$jsonSchema keyword '${keyword}' must be an array`);
  if (operand.length === 0) throw failedToParse(`$jsonSchema keyword '${keyword}' cannot be an empty array`);
  return operand;
}

function namesOf(operand: Value, keyword: string): string[] {
  const names = listOf(operand, keyword);
  if (!names.every((name) => typeof name === 'string')) {
    throw typeMismatch(`$jsonSchema keyword '${keyword}' must be an array of strings`);
  }
  if (new Set(names).size < names.length)
    throw failedToParse(`$jsonSchema keyword '${keyword}' array cannot contain duplicate values`);
  return names;
}

function schemasOf(operand: Value, keyword: string): SchemaTest[] {
  return listOf(operand, keyword).map((schema) => schemaTest(docOf(schema, keyword)));
}

function booleanOrSchema(operand: Value, keyword: string): SchemaTest {
  return typeof operand === 'boolean' ? () => operand : schemaTest(docOf(operand, keyword));
}

function areUnique(items: readonly Value[]): boolean {
  const sorted = items.toSorted((a, b) => compare(a, b));
  return sorted.every((item, i) => i === 0 || !equals(sorted[i - 1], item));
}
