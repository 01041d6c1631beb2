import type { Context } from './context.ts';
import { DatabaseError, invalidPipelineOperator, notSupported } from './errors.ts';
import { AGGREGATES } from './expressions/aggregates.ts';
import { ARITHMETIC } from './expressions/arithmetic.ts';
import { ARRAYS } from './expressions/arrays.ts';
import { CONVERSIONS } from './expressions/conversions.ts';
import { DATES } from './expressions/date-parts.ts';
import { LOGIC } from './expressions/logic.ts';
import { OBJECTS } from './expressions/objects.ts';
import {
  type Cell,
  type Compiler,
  constantOf,
  type Expression,
  folded,
  type Maybe,
  type Operator,
} from './expressions/operator.ts';
import { SETS } from './expressions/sets.ts';
import { STRINGS } from './expressions/strings.ts';
import { isTrue } from './truth.ts';
import { type Doc, isDoc, type Value } from './value.ts';

/** Variables by name, beside those that MongoDB defines. */
export type Cells = Readonly<Record<string, Cell>>;

/** Compiles an aggregation expression; `cells` are the variables that whoever evaluates it writes. */
export function compileExpression(expression: Value, context: Context = {}, cells: Cells = {}): (doc: Doc) => Maybe {
  const { evaluate } = compilerFor(context, cells).compile(expression);
  return evaluate;
}

/** Compiles an expression of which only the truth matters, as in `$expr`. */
export function compileCondition(expression: Value, context: Context): (doc: Doc) => boolean {
  const evaluate = compileExpression(expression, context);
  return (doc) => isTrue(evaluate(doc));
}

/** The compiler for a command's context, its `let` variables included. */
export function compilerFor(context: Context, cells: Cells = {}): Compiler {
  const variables = new Map<string, Cell>(Object.entries(context.cells ?? {}));
  for (const [name, value] of context.variables ?? []) variables.set(name, { value });
  variables.set('NOW', { value: context.now ?? new Date() });
  variables.set('USER_ROLES', { value: [] });
  for (const [name, cell] of Object.entries(cells)) variables.set(name, cell);
  return new ExpressionCompiler(context, variables);
}

/** Whether an operator of that name exists in the expression language. */
export function isExpressionOperator(name: string): boolean {
  return OPERATORS.has(name) || UNSUPPORTED.has(name);
}

/** Checks the parts of a field path, `a.b` without its `$`. */
export function fieldParts(path: string): string[] {
  if (path === '') throw new DatabaseError(40352, 'FieldPath cannot be constructed with empty string');
  if (path.endsWith('.')) throw new DatabaseError(40353, "FieldPath must not end with a '.'.");
  const parts = path.split('.');
  for (const part of parts) {
    if (part === '') throw new DatabaseError(15998, 'FieldPath field names may not be empty strings.');
    if (part.startsWith('$')) {
      throw new DatabaseError(16410, `FieldPath field names may not start with '$'. Consider using $getField or $setField.`);
    }
    if (part.includes('\0')) throw new DatabaseError(16411, 'FieldPath field names may not contain null bytes');
  }
  return parts;
}

const OPERATORS: ReadonlyMap<string, Operator> = new Map(
  Object.entries({
    ...AGGREGATES,
    ...ARITHMETIC,
    ...ARRAYS,
    ...CONVERSIONS,
    ...DATES,
    ...LOGIC,
    ...OBJECTS,
    ...SETS,
    ...STRINGS,
  }),
);

/** Operators that MongoDB has and this does not. */
const UNSUPPORTED: ReadonlySet<string> = new Set(['$median', '$percentile', '$toHashedIndexKey', '$toUUID']);

/** Variables that MongoDB defines, but not everywhere. */
const UNAVAILABLE: ReadonlySet<string> = new Set(['CLUSTER_TIME', 'IS_MR', 'JS_SCOPE', 'SEARCH_META']);

class ExpressionCompiler implements Compiler {
  readonly context: Context;
  readonly #variables: ReadonlyMap<string, Cell>;

  constructor(context: Context, variables: ReadonlyMap<string, Cell>) {
    this.context = context;
    this.#variables = variables;
  }

  withVariables(cells: Cells): Compiler {
    return new ExpressionCompiler(this.context, new Map([...this.#variables, ...Object.entries(cells)]));
  }

  compile(value: Value): Expression {
    if (typeof value === 'string') return value.startsWith('$') ? this.#path(value) : constantOf(value);
    if (Array.isArray(value)) return this.#array(value);
    return isDoc(value) ? this.#document(value) : constantOf(value);
  }

  #array(items: readonly Value[]): Expression {
    const parts = items.map((item) => this.compile(item));
    return folded(parts, (root) => parts.map((part) => part.evaluate(root) ?? null));
  }

  #document(doc: Doc): Expression {
    const [first] = doc.keys();
    if (first?.startsWith('$')) return this.#operator(doc, first);
    const fields = [...doc].map(([name, value]) => {
      if (name.startsWith('$')) throw invalidPipelineOperator(name);
      if (name.includes('.'))
        throw new DatabaseError(16412, `FieldPath field names may not contain '.'. Consider using $getField or $setField.`);
      return [name, this.compile(value)] as const;
    });
    return folded(
      fields.map(([, field]) => field),
      (root) => {
        const result: Doc = new Map();
        for (const [name, field] of fields) {
          const value = field.evaluate(root);
          if (value !== undefined) result.set(name, value);
        }
        return result;
      },
    );
  }

  #operator(doc: Doc, name: string): Expression {
    if (doc.size !== 1) {
      throw new DatabaseError(
        15983,
        `an object representing an expression must have exactly one field: ${[...doc.keys()].join(', ')}`,
      );
    }
    const operator = OPERATORS.get(name);
    if (operator !== undefined) return operator(doc.get(name) as Value, this, name);
    throw UNSUPPORTED.has(name) ? notSupported(`The expression ${name} is not supported`) : invalidPipelineOperator(name);
  }

  #path(text: string): Expression {
    if (text.startsWith('$$')) return this.#variable(text.slice(2));
    if (text === '$') throw new DatabaseError(16872, "'$' by itself is not a valid FieldPath");
    const parts = fieldParts(text.slice(1));
    const current = this.#variables.get('CURRENT');
    if (current !== undefined) return { constant: false, evaluate: () => walk(current.value, parts, 0) };
    const [name = ''] = parts;
    if (parts.length === 1) return { constant: false, evaluate: (root) => root.get(name) };
    return { constant: false, evaluate: (root) => walk(root, parts, 0) };
  }

  #variable(path: string): Expression {
    const [name = '', ...rest] = path.split('.');
    if (name === '') throw new DatabaseError(16869, 'empty variable names are not allowed');
    const parts = rest.length === 0 ? [] : fieldParts(rest.join('.'));
    if (name === 'REMOVE') return constantOf(undefined);
    const cell = this.#variables.get(name);
    if (cell !== undefined) return { constant: false, evaluate: () => walk(cell.value, parts, 0) };
    if (name === 'ROOT' || name === 'CURRENT') return { constant: false, evaluate: (root) => walk(root, parts, 0) };
    if (UNAVAILABLE.has(name)) throw new DatabaseError(51144, `Builtin variable '$$${name}' is not available`);
    throw new DatabaseError(17276, `Use of undefined variable: ${name}`);
  }
}

/** Follows a path as expressions do: through the documents of an array, whose values it collects. */
function walk(value: Maybe, parts: readonly string[], at: number): Maybe {
  let found = value;
  for (let i = at; i < parts.length; i++) {
    if (Array.isArray(found)) {
      const collected: Value[] = [];
      for (const item of found) {
        const inner = isDoc(item) ? walk(item, parts, i) : undefined;
        if (inner !== undefined) collected.push(inner);
      }
      return collected;
    }
    if (!isDoc(found)) return undefined;
    found = found.get(parts[i] as string);
  }
  return found;
}
