import type { TextOrder } from '../query/compare.ts';
import { badValue, DatabaseError, notSupported, typeMismatch } from '../query/errors.ts';
import { type Doc, isNumber, typeName, type Value } from '../query/value.ts';
import { mentions } from './pushdown.ts';

/** The order of texts that a collation asks for, by ICU's rules as in MongoDB; `undefined`: by bytes. */
export function textOrderOf(collation: Doc | undefined): TextOrder | undefined {
  if (collation === undefined || collation.size === 0) return undefined;
  for (const [name, value] of collation) checkOption(name, value);
  const locale = collation.get('locale');
  if (locale === undefined) throw new DatabaseError(40414, "BSON field 'collation.locale' is missing but a required field");
  if (locale === 'simple') return undefined;
  const tag = (locale as string).replaceAll('_', '-');
  if (!isKnown(tag)) throw badValue(`Field 'locale' is invalid in: { locale: "${locale}" }`);
  const strength = Number(String(collation.get('strength') ?? 3));
  if (strength > 3 || collation.get('backwards') === true || collation.get('normalization') === true)
    throw notSupported('collations of strength 4 and 5, backwards ones and those with normalization are not supported');
  const caseFirst = collation.get('caseFirst');
  return new Intl.Collator(tag, {
    sensitivity: sensitivityOf(strength, collation.get('caseLevel') === true),
    numeric: collation.get('numericOrdering') === true,
    caseFirst: caseFirst === 'upper' || caseFirst === 'lower' ? caseFirst : 'false',
    ignorePunctuation: collation.get('alternate') === 'shifted',
  }).compare;
}

/** What an option may be: a type, or one of some values. */
const OPTIONS: Readonly<Record<string, 'string' | 'bool' | readonly string[]>> = {
  locale: 'string',
  strength: ['1', '2', '3', '4', '5'],
  caseLevel: 'bool',
  caseFirst: ['off', 'upper', 'lower'],
  numericOrdering: 'bool',
  alternate: ['non-ignorable', 'shifted'],
  maxVariable: ['punct'],
  normalization: 'bool',
  backwards: 'bool',
  version: 'string',
};

function checkOption(name: string, value: Value): void {
  const allowed = Object.hasOwn(OPTIONS, name) ? OPTIONS[name] : undefined;
  if (allowed === undefined) throw new DatabaseError(40415, `BSON field 'collation.${name}' is an unknown field.`);
  const type = typeof allowed === 'string' ? allowed : name === 'strength' ? 'int' : 'string';
  if (type === 'int' ? !isNumber(value) : typeName(value) !== type)
    throw typeMismatch(`BSON field 'collation.${name}' is the wrong type '${typeName(value)}', expected type '${type}'`);
  if (typeof allowed !== 'string' && !allowed.includes(String(value)))
    throw badValue(`Enumeration value '${String(value)}' for field 'collation.${name}' is not a valid value.`);
}

function isKnown(tag: string): boolean {
  try {
    return Intl.Collator.supportedLocalesOf(tag).length > 0;
  } catch {
    return false;
  }
}

function sensitivityOf(strength: number, caseLevel: boolean): 'base' | 'accent' | 'case' | 'variant' {
  if (strength === 1) return caseLevel ? 'case' : 'base';
  return strength === 2 && !caseLevel ? 'accent' : 'variant';
}

/** Collections and indexes keep texts in the order of their bytes. */
export function refuseCollation(options: Doc): void {
  const collation = options.get('collation');
  if (collation instanceof Map && textOrderOf(collation) !== undefined)
    throw notSupported('collections and indexes with a collation are not supported');
}

/** What tells values apart by their bytes. */
const BY_BYTES = new Set([
  '$group',
  '$sortByCount',
  '$bucket',
  '$bucketAuto',
  '$lookup',
  '$graphLookup',
  '$setEquals',
  '$setIntersection',
  '$setUnion',
  '$setDifference',
  '$setIsSubset',
  '$addToSet',
]);

/** Refuses stages that would not keep to the collation of their pipeline. */
export function checkCollated(stages: readonly Value[]): void {
  if (mentions([...stages], BY_BYTES)) throw notSupported('stages that group, join or compare sets do not support a collation');
}
