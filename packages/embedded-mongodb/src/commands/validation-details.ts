import { Int32 } from 'bson';
import { compileFilter } from '../query/match.ts';
import { isOperatorDoc } from '../query/match-fields.ts';
import { valuesAt } from '../query/path.ts';
import { type Doc, isDoc, typeName, type Value } from '../query/value.ts';
import { unsatisfiedRules } from './schema-details.ts';

/** Why a document fails a validator, in the form of MongoDB's `errInfo.details`: which conditions, and what they met. */
export function explainFailure(validator: Doc, doc: Doc): Doc {
  return explainClauses('$and', clausesOf(validator), doc);
}

/** One condition of a filter, such as `{ age: { $gt: 5 } }` or `{ $or: [...] }`. */
interface Clause {
  readonly name: string;
  readonly operator: string;
  readonly operand: Value;
}

function clausesOf(filter: Doc): Clause[] {
  return [...filter].flatMap(([name, value]): Clause[] => {
    if (name === '$and' && Array.isArray(value)) return value.filter(isDoc).flatMap(clausesOf);
    if (name.startsWith('$')) return [{ name, operator: name, operand: value }];
    if (!isOperatorDoc(value)) return [{ name, operator: '$eq', operand: value }];
    return [...value].map(([operator, operand]) => ({ name, operator, operand }));
  });
}

function explainClauses(junction: string, clauses: readonly Clause[], doc: Doc): Doc {
  const failed = clauses
    .map((clause, index) => ({ clause, index }))
    .filter(({ clause }) => !compileFilter(filterOf(clause)).matches(doc));
  const [only] = failed;
  if (clauses.length === 1 && only !== undefined) return explainClause(only.clause, doc);
  const details = failed.map(({ clause, index }) => {
    return new Map<string, Value>([
      ['index', new Int32(index)],
      ['details', explainClause(clause, doc)],
    ]);
  });
  return new Map<string, Value>([
    ['operatorName', junction],
    ['clausesNotSatisfied', details],
  ]);
}

function filterOf({ name, operator, operand }: Clause): Doc {
  return new Map([[name, name === operator ? operand : new Map([[operator, operand]])]]);
}

function explainClause(clause: Clause, doc: Doc): Doc {
  const { name, operator, operand } = clause;
  if (operator === '$jsonSchema' && isDoc(operand)) {
    return new Map<string, Value>([
      ['operatorName', operator],
      ['schemaRulesNotSatisfied', unsatisfiedRules(operand, doc)],
    ]);
  }
  if (operator === '$or' && Array.isArray(operand)) {
    const branches = operand.filter(isDoc).map((branch) => ({ name: '$and', operator: '$and', operand: [branch] }));
    return explainClauses('$or', branches, doc);
  }
  if (operator === '$and' && Array.isArray(operand)) return explainClauses('$and', operand.filter(isDoc).flatMap(clausesOf), doc);
  const specified = new Map([[name, operator === '$eq' ? operand : (filterOf(clause).get(name) as Value)]]);
  const details: Doc = new Map<string, Value>([
    ['operatorName', operator],
    ['specifiedAs', specified],
  ]);
  if (operator === '$expr') return details.set('reason', 'expression did not match').set('expressionResult', false);
  if (name.startsWith('$')) return details.set('reason', 'failed to match');
  const [value] = valuesAt(doc, name.split('.'));
  if (value === undefined) return details.set('reason', operator === '$exists' ? 'path does not exist' : 'field was missing');
  details.set('reason', REASONS[operator] ?? 'failed to match').set('consideredValue', value);
  return operator === '$type' ? details.set('consideredType', typeName(value)) : details;
}

const REASONS: Readonly<Record<string, string>> = {
  $eq: 'comparison failed',
  $ne: 'comparison succeeded',
  $gt: 'comparison failed',
  $gte: 'comparison failed',
  $lt: 'comparison failed',
  $lte: 'comparison failed',
  $in: 'no matching value found in array',
  $nin: 'matching value found in array',
  $exists: 'path does exist',
  $type: 'type did not match',
  $regex: 'regular expression did not match',
  $size: 'array length was not equal to given size',
  $elemMatch: 'array did not satisfy the child predicate',
  $mod: '$mod did not evaluate to expected remainder',
};
