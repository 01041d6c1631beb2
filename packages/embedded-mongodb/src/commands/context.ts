import { textOrderOf } from '../plan/collation.ts';
import type { QueryContext } from '../plan/query-context.ts';
import { DatabaseError } from '../query/errors.ts';
import { compileExpression } from '../query/expression.ts';
import type { Doc, Value } from '../query/value.ts';
import { docArg } from './args.ts';
import type { Command } from './command.ts';

/** What filters, updates and pipelines of a command may refer to. */
export function contextOf({ args, now, timeLimit }: Pick<Command, 'args' | 'now' | 'timeLimit'>): QueryContext {
  const variables = variablesOf(docArg(args, 'let'), now);
  return { now, timeLimit, texts: textOrderOf(docArg(args, 'collation')), ...(variables && { variables }) };
}

/** The same for one statement of a batch, which may have a collation and, for a pipeline, constants of its own. */
export function statementContext(context: QueryContext, statement: Doc, constantsName = 'c', updateName = 'u'): QueryContext {
  const constants = docArg(statement, constantsName);
  if (constants !== undefined && !Array.isArray(statement.get(updateName)))
    throw new DatabaseError(51198, 'Constant values may only be specified for pipeline updates');
  const variables = constants && new Map([...(context.variables ?? []), ...constants]);
  return { ...context, texts: textOrderOf(docArg(statement, 'collation')) ?? context.texts, ...(variables && { variables }) };
}

function variablesOf(spec: Doc | undefined, now: Date): Map<string, Value> | undefined {
  if (spec === undefined) return undefined;
  const variables = new Map<string, Value>();
  for (const [name, value] of spec) variables.set(name, compileExpression(value, { now, variables })(new NoFields()) ?? null);
  return variables;
}

/** The document that the expressions of `let` see: none. */
class NoFields extends Map<string, Value> {
  override get(): never {
    throw new DatabaseError(
      4890500,
      'Command let Expression tried to access a field, but this is not allowed because Command let expressions run before the query examines any documents.',
    );
  }
}
