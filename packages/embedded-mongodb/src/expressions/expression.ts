import type { Context } from '../context.ts';
import { DatabaseError, invalidPipelineOperator } from '../values/errors.ts';
import { isTrue } from '../values/truth.ts';
import { type Doc, isDoc, type Maybe, type Value } from '../values/value.ts';
import { arithmetic } from './arithmetic.ts';
import { arrays } from './arrays.ts';
import { logic } from './logic.ts';
import { objects } from './objects.ts';
import {
  arrayBytes,
  type Cell,
  type Compiler,
  constantOf,
  documentBytes,
  type Expression,
  folded,
  type Operator,
} from './operator.ts';

/** Compiles an aggregation expression. */
export function compileExpression(expression: Value, context: Context): (doc: Doc) => Maybe {
  const { evaluate } = compilerFor(context).compile(expression);
  return evaluate;
}

/** Compiles an expression whose result is used as a boolean, as in `$expr`. */
export function compileCondition(expression: Value, context: Context): (doc: Doc) => boolean {
  const evaluate = compileExpression(expression, context);
  return (doc) => isTrue(evaluate(doc));
}

/** The compiler for a command's context. */
export function compilerFor(context: Context): Compiler {
  return new ExpressionCompiler(context, new Map([['NOW', { value: context.now ?? new Date() }]]));
}

export function isExpressionOperator(name: string): boolean {
  return operators.has(name);
}

/** Splits a field path such as `a.b`, without its `$`, and checks its parts. */
export function fieldParts(path: string): string[] {
  if (path === '') throw new DatabaseError(40352, 'FieldPath cannot be constructed with empty string');
  if (path.endsWith('.')) throw new DatabaseError(40353, "FieldPath must not end with a '.'.");
  const parts = path.split('.');
  for (const part of parts) {
    if (part === '') throw new DatabaseError(15998, 'FieldPath field names may not be empty strings.');
    if (part.startsWith('$')) {
      throw new DatabaseError(16410, `FieldPath field names may not start with '$'.`);
    }
    if (part.includes('\0')) throw new DatabaseError(16411, 'FieldPath field names may not contain null bytes');
  }
  return parts;
}

const operators: ReadonlyMap<string, Operator> = new Map(Object.entries({ ...arithmetic, ...arrays, ...logic, ...objects }));

class ExpressionCompiler implements Compiler {
  readonly context: Context;
  readonly #variables: ReadonlyMap<string, Cell>;

  constructor(context: Context, variables: ReadonlyMap<string, Cell>) {
    this.context = context;
    this.#variables = variables;
  }

  withVariables(cells: Readonly<Record<string, Cell>>): Compiler {
    return new ExpressionCompiler(this.context, new Map([...this.#variables, ...Object.entries(cells)]));
  }

  compile(value: Value): Expression {
    if (typeof value === 'string') return value.startsWith('$') ? this.#path(value) : constantOf(value);
    if (Array.isArray(value)) return this.#array(value);
    return isDoc(value) ? this.#document(value) : constantOf(value);
  }

  #array(items: readonly Value[]): Expression {
    const parts = items.map((item) => this.compile(item));
    const { operation } = this.context;
    return folded(parts, (root) => {
      operation?.make(arrayBytes(parts.length));
      return parts.map((part) => part.evaluate(root) ?? null);
    });
  }

  #document(doc: Doc): Expression {
    const [first] = doc.keys();
    if (first?.startsWith('$')) return this.#operator(doc, first);
    const fields = [...doc].map(([name, value]) => {
      if (name.startsWith('$')) throw invalidPipelineOperator(name);
      if (name.includes('.')) throw new DatabaseError(16412, `FieldPath field names may not contain '.'.`);
      return [name, this.compile(value)] as const;
    });
    const { operation } = this.context;
    return folded(
      fields.map(([, field]) => field),
      (root) => {
        operation?.make(documentBytes(fields.length));
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
    const operator = operators.get(name);
    if (operator === undefined) throw invalidPipelineOperator(name);
    return operator(doc.get(name) as Value, this, name);
  }

  #path(text: string): Expression {
    if (text.startsWith('$$')) return this.#variable(text.slice(2));
    if (text === '$') throw new DatabaseError(16872, "'$' by itself is not a valid FieldPath");
    const parts = fieldParts(text.slice(1));
    const [name = ''] = parts;
    if (parts.length === 1) return { constant: false, evaluate: (root) => root.get(name) };
    return { constant: false, evaluate: (root) => walk(root, parts, 0, this.context) };
  }

  #variable(path: string): Expression {
    const [name = '', ...rest] = path.split('.');
    if (name === '') throw new DatabaseError(16869, 'empty variable names are not allowed');
    const parts = rest.length === 0 ? [] : fieldParts(rest.join('.'));
    const cell = this.#variables.get(name);
    if (cell !== undefined) return { constant: false, evaluate: () => walk(cell.value, parts, 0, this.context) };
    if (name === 'ROOT') return { constant: false, evaluate: (root) => walk(root, parts, 0, this.context) };
    throw new DatabaseError(17276, `Use of undefined variable: ${name}`);
  }
}

/**
 * Follows a path by the rules of expressions: if it meets an array, it collects the values of the
 * array's documents.
 */
function walk(value: Maybe, parts: readonly string[], at: number, context: Context): Maybe {
  let found = value;
  for (let i = at; i < parts.length; i++) {
    if (Array.isArray(found)) {
      const collected: Value[] = [];
      for (const item of found) {
        const inner = isDoc(item) ? walk(item, parts, i, context) : undefined;
        if (inner !== undefined) collected.push(inner);
      }
      context.operation?.make(arrayBytes(collected.length));
      return collected;
    }
    if (!isDoc(found)) return undefined;
    found = found.get(parts[i] as string);
  }
  return found;
}
