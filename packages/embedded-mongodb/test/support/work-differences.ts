import { type Doc, isDoc } from '../../src/values/value.ts';
import type { Work } from './arbitrary-work.ts';

/**
 * A case in which the reference engine differs from MongoDB. A sequence of commands ends when it
 * occurs.
 */
export type WorkDifference = {
  readonly reason: string;
  applies(step: Work, own: Doc, theirs: Doc): boolean;
};

export const workDifferences: readonly WorkDifference[] = [
  {
    reason: 'the engine estimates how many documents there are where count has no query, and is wrong for a while',
    applies: ([name, query]) => name === 'count' && query !== undefined && (query[1] as Doc).size === 0,
  },
  {
    reason: 'the engine counts no documents as 0, where $count gives nothing in MongoDB',
    applies: (step, own, theirs) => hasStage(step, '$count') && documentsOf(own).length === 0 && documentsOf(theirs).length === 1,
  },
  {
    reason: 'the engine says that findAndModify found nothing where it found a document and had nothing to change in it',
    applies: ([name], own, theirs) =>
      name === 'findAndModify' && foundOf(own) === 1 && foundOf(theirs) === 0 && isDoc(theirs.get('value')),
  },
  {
    reason: 'the engine takes $inc by 0 for a change',
    applies: (step, own, theirs) => incrementsByZero(step) && numberOf(own, 'nModified') < numberOf(theirs, 'nModified'),
  },
  {
    reason: 'the engine counts with booleans in $inc; MongoDB refuses them as no numbers',
    applies: (step, own, theirs) =>
      usesOperator(step, '$inc') && refusedAs(own, typeMismatch) && !refusedAs(theirs, typeMismatch),
  },
  {
    reason: 'the engine takes back a whole multi-update that meets a duplicate key; MongoDB leaves what it had changed before',
    applies: ([name], own, theirs) => name === 'update' && own.has('errors') && theirs.has('errors'),
  },
];

/** The updates in a command. */
function updatesOf([, ...fields]: Work): Doc[] {
  const all = new Map(fields);
  const statements = (all.get('updates') as Doc[] | undefined) ?? [];
  return [...statements.map((statement) => statement.get('u')), all.get('update')].filter((update) => isDoc(update));
}

function usesOperator(step: Work, name: string): boolean {
  return updatesOf(step).some((update) => update.has(name));
}

function incrementsByZero(step: Work): boolean {
  return updatesOf(step).some((update) =>
    [...((update.get('$inc') as Doc | undefined) ?? [])].some(([, by]) => String(by) === '0'),
  );
}

const typeMismatch = 14;

function refusedAs(reply: Doc, code: number): boolean {
  const [error] = (reply.get('errors') as Doc[] | undefined) ?? [];
  return Number(reply.get('code') ?? error?.get('code')) === code;
}

function numberOf(reply: Doc, name: string): number {
  return Number(reply.get(name) ?? 0);
}

function foundOf(reply: Doc): number {
  return Number((reply.get('lastErrorObject') as Doc | undefined)?.get('n'));
}

function hasStage([, ...fields]: Work, name: string): boolean {
  const pipeline = new Map(fields).get('pipeline') as Doc[] | undefined;
  return pipeline?.some((stage) => stage.has(name)) === true;
}

function documentsOf(reply: Doc): readonly Doc[] {
  return (reply.get('documents') as Doc[] | undefined) ?? [];
}
