import type { Filter, ObjectId } from 'mongodb';
import { dateSchema, idSchema, showDate, showId } from '../api/extended-json.ts';
import { type ListPage, pageLimit, pageOf, pageStart, withOneMore } from '../api/pages.ts';
import { about, dateTime, id, integer, oneOf, optional, type Parameter, type Values } from '../api/parameters.ts';
import { aCount, aText, aWord, described, orNull, record, type Schema, type Shown } from '../api/schema.ts';
import { type AuditDocument, audit, auditActors, auditTargets } from '../collections/service/audit.ts';
import { auditActionNames } from './actions.ts';

const hash = described('SHA-256, in hexadecimal.', aText);
const name = (what: string) => described(`The name of ${what} at that time; null without one.`, orNull(aText));

/** An entry in the API and in exports. */
export const auditEntrySchema = record('AuditEntry', {
  seq: described('The number of the entry, from 1 and without gaps.', aCount),
  at: described('The time, by the clock of the server.', dateSchema),
  actor: described(
    'The actor: a user, a command, or the service.',
    record('AuditActor', {
      kind: described('A user, the command line, or the service itself.', aWord(...auditActors)),
      _id: described('The id of the user.', orNull(idSchema)),
      name: name('the user, or of the account of the operating system'),
    }),
  ),
  action: described('The action, one of the list in docs/audit.md.', aWord(...auditActionNames)),
  target: described(
    'The target of the action.',
    orNull(
      record('AuditTarget', {
        kind: described('The kind of target.', aWord(...auditTargets)),
        _id: described('Its id; null if it did not exist yet.', orNull(idSchema)),
        name: name('it'),
      }),
    ),
  ),
  details: described('Further facts, by name.', {
    type: 'object',
    additionalProperties: { type: 'string' },
  } as Schema<Record<string, string>>),
  source: described('The address of the request; null for the command line.', orNull(aText)),
  failed: described(
    'The number of the entry whose action was refused or failed; null in the entry of an action.',
    orNull(aCount),
  ),
  previous: described('The hash of the entry before; empty in the first one.', aText),
  hash: described('The hash of this entry.', hash),
});
export type AuditEntry = Shown<typeof auditEntrySchema>;

const seq = integer(1, Number.MAX_SAFE_INTEGER);

// The list of all actions would make the error too long.
const action = { ...oneOf(...auditActionNames), rule: 'be one of the actions that docs/audit.md lists' };

/** The filters and the page of a list. */
export const auditQuery = {
  actor: about('Return entries of this actor.', optional(id)),
  action: about('Return entries of this action.', optional(action)),
  target: about('Return entries about this user or room.', optional(id)),
  from: about('Return entries at this time or after it.', optional(dateTime)),
  to: about('Return entries before this time.', optional(dateTime)),
  limit: pageLimit,
  after: pageStart(seq as Parameter<number>),
};

/** A page of the log, newest entry first. */
export async function listAudit(query: Values<typeof auditQuery>): Promise<ListPage<AuditEntry>> {
  const { limit } = query;
  const found = await audit.find(filterOf(query), { sort: { _id: -1 }, ...withOneMore(limit) }).toArray();
  return pageOf(found, limit, showEntry, ({ _id }) => String(_id));
}

function filterOf({ actor, action, target, from, to, after }: Values<typeof auditQuery>): Filter<AuditDocument> {
  return {
    ...(after !== undefined && { _id: { $lt: after } }),
    ...(actor && { 'actor.id': actor }),
    ...(action && { action }),
    ...(target && { 'target.id': target }),
    ...((from || to) && { at: { ...(from && { $gte: from }), ...(to && { $lt: to }) } }),
  };
}

/** Converts an entry to its representation in the API. */
export function showEntry({
  _id,
  at,
  actor,
  action,
  target,
  details,
  source,
  failed,
  previous,
  hash,
}: AuditDocument): AuditEntry {
  return {
    seq: _id,
    at: showDate(at),
    actor: { kind: actor.kind, _id: idOrNull(actor.id), name: actor.name },
    action: action as AuditEntry['action'],
    target: target && { kind: target.kind, _id: idOrNull(target.id), name: target.name },
    details,
    source,
    failed,
    previous,
    hash,
  };
}

const idOrNull = (id: ObjectId | null) => id && showId(id);
