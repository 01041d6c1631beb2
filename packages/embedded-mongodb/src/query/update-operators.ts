import { Int32, Long, Timestamp } from 'bson';
import { compare, equals, type TextOrder } from './compare.ts';
import { badValue, pathNotViable, typeMismatch } from './errors.ts';
import { identical } from './identical.ts';
import { add, multiply, toBigInt, zeroLike } from './numbers.ts';
import { isIndex } from './path.ts';
import { type Modifier, REMOVED, type Run } from './update-tree.ts';
import { type Doc, isDoc, isNumber, isWhole, typeName, typeNumber, type Value } from './value.ts';

/** Makes the modifier of one operator from its operand at one path. */
export type ModifierMaker = (operand: Value, path: string, texts?: TextOrder) => Modifier;

/** The operators that set and compute single values; those on arrays stand in `update-arrays.ts`. */
export const VALUE_OPERATORS: Readonly<Record<string, ModifierMaker>> = {
  $set: (operand) => setTo('$set', operand),
  $setOnInsert: (operand) => ({ ...setTo('$setOnInsert', operand), onlyOnInsert: true }),
  $unset: () => ({ name: '$unset', update: () => REMOVED, toleratesBadPath: true }),
  $inc: (operand, path) => arithmetic('$inc', 'increment', operand, path),
  $mul: (operand, path) => arithmetic('$mul', 'multiply', operand, path),
  $min: (operand, _path, texts) => extreme('$min', -1, operand, texts),
  $max: (operand, _path, texts) => extreme('$max', 1, operand, texts),
  $currentDate: currentDate,
  $bit: bitwise,
};

/** The two halves of `$rename`: what becomes of the old name, and of the new. */
export function renamed(from: string, to: string): { source: Modifier; destination: Modifier } {
  const value = (run: Run) => {
    const found = fieldOutsideArrays(run.original, from, 'source');
    // Looked at only for a rename that takes place.
    if (found !== undefined) fieldOutsideArrays(run.original, to, 'destination');
    return found;
  };
  return {
    source: { name: '$rename', update: (old, run) => (value(run) === undefined ? old : REMOVED), toleratesBadPath: true },
    destination: { name: '$rename', update: (old, run) => replacedBy(old, value(run)), create: (run) => value(run) },
  };
}

/** The old value object where the new one is the same to the bit, so that nothing counts as changed. */
export function keepIdentical(old: Value, value: Value): Value {
  return identical(old, value) ? old : value;
}

function replacedBy(old: Value, value: Value | undefined): Value {
  return value === undefined ? old : keepIdentical(old, value);
}

function setTo(name: string, operand: Value): Modifier {
  return { name, update: (old) => keepIdentical(old, operand), create: () => operand };
}

function arithmetic(name: '$inc' | '$mul', verb: string, operand: Value, path: string): Modifier {
  if (!isNumber(operand)) throw typeMismatch(`Cannot ${verb} with non-numeric argument: {${path}: ${typeName(operand)}}`);
  const compute = name === '$inc' ? add : multiply;
  return {
    name,
    update(old, run, where) {
      if (!isNumber(old)) {
        throw typeMismatch(
          `Cannot apply ${name} to a value of non-numeric type. {_id: ${idOf(run)}} has the field '${lastPart(where)}' of non-numeric type ${typeName(old)}`,
        );
      }
      const result = compute(old, operand);
      if (result === undefined) {
        throw badValue(
          `Failed to apply ${name} operations to current value ((${typeName(old)})${old}) for document {_id: ${idOf(run)}}`,
        );
      }
      // Equal is no change to MongoDB: neither the sign of zero nor a decimal's zeros at the end count.
      return typeNumber(old) === typeNumber(result) && equals(old, result) ? old : result;
    },
    create: () => (name === '$inc' ? operand : zeroLike(operand)),
  };
}

function extreme(name: string, direction: 1 | -1, operand: Value, texts?: TextOrder): Modifier {
  return {
    name,
    update: (old) => (compare(operand, old, texts) * direction > 0 ? operand : old),
    create: () => operand,
  };
}

function currentDate(operand: Value, path: string): Modifier {
  const asTimestamp = wantsTimestamp(operand, path);
  const now = (run: Run) => (asTimestamp ? new Timestamp({ t: Math.floor(run.now.getTime() / 1000), i: 1 }) : run.now);
  return { name: '$currentDate', update: (_old, run) => now(run), create: now };
}

function wantsTimestamp(operand: Value, path: string): boolean {
  if (typeof operand === 'boolean') return false;
  if (!isDoc(operand)) {
    throw badValue(
      `${typeName(operand)} is not valid type for $currentDate. Please use a boolean ('true') or a $type expression ({$type: 'timestamp/date'}).`,
    );
  }
  for (const name of operand.keys()) if (name !== '$type') throw badValue(`Unrecognized $currentDate option: ${name}`);
  const type = operand.get('$type');
  if (type === 'timestamp' || type === 'date') return type === 'timestamp';
  throw badValue(`The '$type' string field is required to be 'date' or 'timestamp': {$currentDate: {${path}: {$type: ...}}}`);
}

function bitwise(operand: Value, path: string): Modifier {
  if (!isDoc(operand))
    throw badValue(
      `The $bit modifier is not compatible with a ${typeName(operand)}. You must pass in an embedded document: {$bit: {field: {and/or/xor: #}}`,
    );
  if (operand.size === 0)
    throw badValue(`You must pass in at least one bitwise operation. The format is: {$bit: {field: {and/or/xor: #}}`);
  const steps = [...operand].map(([operator, bits]) => {
    if (operator !== 'and' && operator !== 'or' && operator !== 'xor') {
      throw badValue(
        `The $bit modifier only supports 'and', 'or', and 'xor', not '${operator}' which is an unknown operator: {${path}: ...}`,
      );
    }
    if (!isWhole(bits))
      throw badValue(
        `The $bit modifier field must be an Integer(32/64 bit); a '${typeName(bits)}' is not supported here: {${operator}: ...}`,
      );
    return [operator, bits] as const;
  });
  const compute = (start: Int32 | Long) => steps.reduce((value, [operator, bits]) => bitOperation(operator, value, bits), start);
  return {
    name: '$bit',
    update(old, run, where) {
      if (!isWhole(old)) {
        throw badValue(
          `Cannot apply $bit to a value of non-integral type.{_id: ${idOf(run)}} has the field ${lastPart(where)} of non-integer type ${typeName(old)}`,
        );
      }
      return keepIdentical(old, compute(old));
    },
    create: () => compute(new Int32(0)),
  };
}

function bitOperation(operator: 'and' | 'or' | 'xor', a: Int32 | Long, b: Int32 | Long): Int32 | Long {
  const [left, right] = [toBigInt(a), toBigInt(b)];
  const result = operator === 'and' ? left & right : operator === 'or' ? left | right : left ^ right;
  return a instanceof Int32 && b instanceof Int32 ? new Int32(Number(result)) : Long.fromBigInt(result);
}

/** Looks up a path that must not lead through an array. */
function fieldOutsideArrays(doc: Doc, path: string, role: 'source' | 'destination'): Value | undefined {
  let value: Value | undefined = doc;
  let throughArray = false;
  for (const part of path.split('.')) {
    if (value === undefined) return undefined;
    throughArray ||= Array.isArray(value);
    if (throughArray && role === 'destination') break;
    if (isDoc(value)) value = value.get(part);
    else if (Array.isArray(value) && isIndex(part)) value = value[Number(part)];
    else if (role === 'destination') return undefined;
    else throw pathNotViable(`cannot use the part (${part} of ${path}) to traverse the element`);
  }
  if (throughArray && value !== undefined) {
    throw badValue(`The ${role} field cannot be an array element, '${path}' in doc with an array field on its way`);
  }
  return value;
}

function idOf(run: Run): string {
  return String(run.original.get('_id'));
}

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}
