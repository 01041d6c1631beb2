import { type Accumulator, compileAccumulator, isAccumulator } from '../accumulators.ts';
import { compare } from '../compare.ts';
import { DatabaseError, failedToParse, notSupported, typeMismatch } from '../errors.ts';
import { compilerFor, fieldParts } from '../expression.ts';
import type { Compiler, Maybe } from '../expressions/operator.ts';
import { compileSort } from '../sort.ts';
import { type Doc, isDoc, type Value } from '../value.ts';
import { withNested } from './shaping.ts';
import { checkNames, docOf, type Stage, type StageCompiler, type StageContext } from './stage.ts';
import { type Bounds, compileBounds } from './window-bounds.ts';
import { WINDOW_FUNCTIONS } from './window-functions.ts';

/** Stages that look at a document's neighbours. */
export const WINDOWS: Readonly<Record<string, StageCompiler>> = { $setWindowFields: setWindowFields };

/** The documents of one partition in order, and what the sort finds in each. */
export interface Partition {
  readonly docs: readonly Doc[];
  readonly keys: readonly (readonly Value[])[];
}

/** Computes one value for each document of a partition. */
export type WindowFunction = (partition: Partition) => Maybe[];

/** What the functions of a window need to know of its stage. */
export interface WindowContext {
  readonly compiler: Compiler;
  readonly sortBy: Doc | undefined;
}

function setWindowFields(spec: Value, context: StageContext): Stage {
  const options = docOf(spec, '$setWindowFields', 9);
  checkNames(options, ['partitionBy', 'sortBy', 'output'], '$setWindowFields', 40415);
  const output = options.get('output');
  if (output === undefined)
    throw new DatabaseError(40414, "BSON field '$setWindowFields.output' is missing but a required field");
  if (!isDoc(output)) throw typeMismatch("BSON field '$setWindowFields.output' is the wrong type, expected type 'object'");
  const sortBy = options.get('sortBy');
  if (sortBy !== undefined && !isDoc(sortBy))
    throw typeMismatch("BSON field '$setWindowFields.sortBy' is the wrong type, expected type 'object'");
  const compiler = compilerFor(context);
  const partitionOf = compiler.compile(options.get('partitionBy') ?? null).evaluate;
  const sort = compileSort(sortBy ?? new Map(), context);
  const fields = Array.from(output, ([name, field]) => ({
    parts: fieldParts(name),
    compute: compileField(name, field, { compiler, sortBy }),
  }));
  return function* (input) {
    const entries = Array.from(input, (doc) => ({ doc, partition: partitionValue(partitionOf(doc)), key: sort.keyOf(doc) }));
    entries.sort((a, b) => compare(a.partition, b.partition, context.texts) || sort.compareKeys(a.key, b.key));
    for (let start = 0; start < entries.length; ) {
      let end = start + 1;
      while (end < entries.length && compare(entries[end]?.partition, entries[start]?.partition, context.texts) === 0) end++;
      const members = entries.slice(start, end);
      const partition = { docs: members.map(({ doc }) => doc), keys: members.map(({ key }) => key) };
      const columns = fields.map(({ compute }) => compute(partition));
      for (const [i, doc] of partition.docs.entries()) {
        yield fields.reduce((result, { parts }, at) => withNested(result, parts, columns[at]?.[i] ?? null), doc);
      }
      start = end;
    }
  };
}

function partitionValue(value: Maybe): Value {
  if (Array.isArray(value)) throw typeMismatch('An expression used to partition cannot evaluate to value of type array');
  return value ?? null;
}

function compileField(name: string, field: Value, context: WindowContext): WindowFunction {
  if (!isDoc(field)) throw failedToParse(`The field '${name}' must be an object`);
  const operators = [...field].filter(([key]) => key !== 'window');
  const [entry, other] = operators;
  if (entry === undefined || !entry[0].startsWith('$')) throw failedToParse('Expected a $-prefixed window function');
  if (other !== undefined) throw failedToParse(`Window function found an unknown argument: ${other[0]}`);
  const [operator, operand] = entry;
  const window = field.get('window');
  const ordered = Object.hasOwn(WINDOW_FUNCTIONS, operator) ? WINDOW_FUNCTIONS[operator] : undefined;
  if (ordered !== undefined) return ordered(operand, context, window, operator);
  if (UNSUPPORTED.has(operator)) throw notSupported(`The window function ${operator} is not supported`);
  if (!isAccumulator(operator)) throw failedToParse(`Unrecognized window function, ${operator}`);
  const accumulator = compileAccumulator(operator, operand, context.compiler);
  return accumulating(accumulator, compileBounds(window, context.sortBy));
}

const UNSUPPORTED: ReadonlySet<string> = new Set([
  '$covariancePop',
  '$covarianceSamp',
  '$derivative',
  '$integral',
  '$median',
  '$minMaxScaler',
  '$percentile',
]);

function accumulating(accumulator: Accumulator, bounds: Bounds): WindowFunction {
  return (partition) => {
    const values = partition.docs.map(accumulator.input);
    let start = -1;
    let end = -1;
    let accumulation = accumulator.start();
    return partition.docs.map((_doc, i) => {
      const [from, to] = bounds(partition, i);
      // A window that only grows at its end goes on where it was.
      if (from !== start || to < end) {
        accumulation = accumulator.start();
        start = from;
        end = from;
      }
      for (; end < to; end++) accumulation.add(values[end]);
      return accumulation.result();
    });
  };
}
