import { Int32 } from 'bson';
import { type Accumulation, type Accumulator, compileAccumulator } from '../accumulators.ts';
import type { TextOrder } from '../compare.ts';
import { DatabaseError } from '../errors.ts';
import { compilerFor } from '../expression.ts';
import type { Compiler, Maybe } from '../expressions/operator.ts';
import { hasherFor } from '../hash-key.ts';
import { compileSort } from '../sort.ts';
import { type Doc, isDoc, type Value } from '../value.ts';
import { sorting } from './flow.ts';
import { docOf, type Stage, type StageCompiler } from './stage.ts';

/** Stages that make one document of many. */
export const GROUPING: Readonly<Record<string, StageCompiler>> = {
  $group: (spec, context) => {
    const options = docOf(spec, '$group', 15947);
    if (!options.has('_id')) throw new DatabaseError(15955, 'a group specification must include an _id');
    const compiler = compilerFor(context);
    return grouping(compileId(options.get('_id') as Value, compiler), compileFields(options, compiler), context.texts);
  },
  $count: (spec) => {
    if (typeof spec !== 'string') throw new DatabaseError(40156, `the count field must be a non-empty string`);
    if (spec === '') throw new DatabaseError(40157, 'the count field must be a non-empty string');
    if (spec.startsWith('$')) throw new DatabaseError(40158, 'the count field cannot be a $-prefixed path');
    if (spec.includes('\0')) throw new DatabaseError(40159, 'the count field cannot contain a null byte');
    if (spec.includes('.')) throw new DatabaseError(40160, "the count field cannot contain '.'");
    return function* (input) {
      let count = 0;
      for (const _doc of input) count++;
      if (count > 0) yield new Map([[spec, new Int32(count)]]);
    };
  },
  $sortByCount: (spec, context) => {
    const isPath = typeof spec === 'string' && spec.startsWith('$');
    if (typeof spec === 'string' && !isPath)
      throw new DatabaseError(
        40148,
        'the sortByCount field must be defined as a $-prefixed path or an expression inside an object',
      );
    if (!isPath && !isDoc(spec))
      throw new DatabaseError(40149, `the sortByCount field must be specified as a string or as an object`);
    if (isDoc(spec) && !spec.keys().next().value?.startsWith('$'))
      throw new DatabaseError(
        40147,
        'the sortByCount field must be defined as a $-prefixed path or an expression inside an object',
      );
    const compiler = compilerFor(context);
    const { evaluate } = compiler.compile(spec);
    const group = grouping(evaluate, compileFields(COUNTED, compiler), context.texts);
    const sort = sorting(compileSort(new Map([['count', new Int32(-1)]])));
    return (input) => sort(group(input));
  },
};

/** A single missing part of a document as `_id` counts as null, but one of several parts is left out: so MongoDB has it. */
function compileId(spec: Value, compiler: Compiler): (doc: Doc) => Maybe {
  const [only, other] = isDoc(spec) ? spec : [];
  if (only === undefined || other !== undefined || only[0].startsWith('$')) return compiler.compile(spec).evaluate;
  const part = compiler.compile(only[1]);
  return (doc) => new Map([[only[0], part.evaluate(doc) ?? null]]);
}

const COUNTED: Doc = new Map([['count', new Map([['$sum', new Int32(1)]])]]);

/** Compiles the accumulated fields of a specification, all but `_id`. */
export function compileFields(spec: Doc, compiler: Compiler): [string, Accumulator][] {
  return [...spec]
    .filter(([name]) => name !== '_id')
    .map(([name, value]) => {
      if (name.includes('.')) throw new DatabaseError(40235, `The field name '${name}' cannot contain '.'`);
      if (name.startsWith('$')) throw new DatabaseError(40236, `The field name '${name}' cannot be an operator name`);
      if (!isDoc(value) || !value.keys().next().value?.startsWith('$'))
        throw new DatabaseError(40234, `The field '${name}' must be an accumulator object`);
      const [entry, other] = value;
      if (entry === undefined || other !== undefined)
        throw new DatabaseError(40238, `The field '${name}' must specify one accumulator`);
      if (Array.isArray(entry[1])) throw new DatabaseError(40237, `The ${entry[0]} accumulator is a unary operator`);
      return [name, compileAccumulator(entry[0], entry[1], compiler)];
    });
}

/** Groups by what an expression gives, null for missing; groups come in the order of their first documents. */
export function grouping(idOf: (doc: Doc) => Maybe, fields: readonly [string, Accumulator][], texts?: TextOrder): Stage {
  return function* (input) {
    const keyOf = hasherFor(texts);
    const groups = new Map<string, { id: Value; accumulations: Accumulation[] }>();
    for (const doc of input) {
      const id = idOf(doc) ?? null;
      const key = keyOf(id);
      let group = groups.get(key);
      if (group === undefined) {
        group = { id, accumulations: fields.map(([, accumulator]) => accumulator.start()) };
        groups.set(key, group);
      }
      for (let i = 0; i < fields.length; i++) group.accumulations[i]?.add(fields[i]?.[1].input(doc));
    }
    for (const { id, accumulations } of groups.values()) yield groupDoc(id, fields, accumulations);
  };
}

/** The document of one group. */
export function groupDoc(id: Value, fields: readonly [string, Accumulator][], accumulations: readonly Accumulation[]): Doc {
  const doc: Doc = new Map([['_id', id]]);
  fields.forEach(([name], i) => {
    doc.set(name, accumulations[i]?.result() ?? null);
  });
  return doc;
}
