import { type Document, ObjectId } from 'mongodb';
import { dateSchema, showDate } from '../api/extended-json.ts';
import { type ListPage, type Page, pageLimit, pageOf, pageStart } from '../api/pages.ts';
import type { Parameter } from '../api/parameters.ts';
import { aText, described, orNull, record, type Shown } from '../api/schema.ts';
import { type InvitationDocument, type RoomDocument, rooms, type WebhookDocument } from '../collections/rooms.ts';
import { webhookStates } from '../collections/webhook-states.ts';
import { aFullName, aUsername, findPersons, type Persons, showPerson } from '../identity/persons.ts';
import { invitationFields, showStoredInvitation, validInvitations } from './invitations.ts';
import { deliverySchema, isAcknowledged, showDelivery } from './outgoing-webhooks.ts';
import { showWebhook, webhookFields } from './webhooks.ts';

/*
 * The invitations and webhooks of all rooms, for administrators: room by room, in the order of their ids.
 */

/** A place in such a list: the thing that it comes after, and its room; either may be gone since. */
type Place = { room: ObjectId; id: ObjectId };

const placePattern = '^[0-9a-f]{48}$';
const place: Parameter<Place> = {
  read: (sent) =>
    typeof sent === 'string' && new RegExp(placePattern).test(sent)
      ? { room: new ObjectId(sent.slice(0, 24)), id: new ObjectId(sent.slice(24)) }
      : undefined,
  rule: "be a cursor from this list's Link header",
  schema: { type: 'string', pattern: placePattern },
};

export const madeParameters = { limit: pageLimit, after: pageStart(place) };

const ofRoom = {
  room_name: described('The name of the room.', aText),
  creator: described('The user who created it.', record('Creator', { username: aUsername, name: aFullName }, ['name'])),
};

/** An invitation to any room. */
export const listedInvitationSchema = record('ListedInvitation', { ...invitationFields, ...ofRoom });
type ListedInvitation = Shown<typeof listedInvitationSchema>;

/** A webhook of any room, and how an outgoing one is doing. */
export const listedWebhookSchema = record('ListedWebhook', {
  ...webhookFields,
  ...ofRoom,
  failing_since: described('Since when the next event fails; null if it does not.', orNull(dateSchema)),
  disabled_at: described('When it was switched off; null while it is on.', orNull(dateSchema)),
  last_failure: described(
    'The last attempt of the last 20 that its receiver did not acknowledge; null if there is none.',
    orNull(deliverySchema),
  ),
});
type ListedWebhook = Shown<typeof listedWebhookSchema>;

/** A page of the invitations of all rooms that can still be used. */
export async function listAllInvitations(page: Page<Place>): Promise<ListPage<ListedInvitation>> {
  const { found, next } = await findMade<InvitationDocument>('invitations', validInvitations(), page);
  const persons = await findPersons(found.map(({ one }) => one.created_by));
  const show = ({ room, one }: Made<InvitationDocument>) => ({
    ...showStoredInvitation(room._id, one),
    ...showRoom(room, one, persons),
  });
  return { items: found.map(show), next };
}

/** A page of the webhooks of all rooms. */
export async function listAllWebhooks(page: Page<Place>): Promise<ListPage<ListedWebhook>> {
  const { found, next } = await findMade<WebhookDocument>('webhooks', { $ifNull: ['$webhooks', []] }, page);
  const ids = found.map(({ one }) => one._id);
  const [persons, stored] = await Promise.all([
    findPersons([...ids, ...found.map(({ one }) => one.created_by)]),
    webhookStates.find({ _id: { $in: ids } }).toArray(),
  ]);
  const states = new Map(stored.map((state) => [state._id.toHexString(), state]));
  const show = ({ room, one }: Made<WebhookDocument>): ListedWebhook => {
    const { failing_since, disabled_at, deliveries = [] } = states.get(one._id.toHexString()) ?? {};
    const failure = deliveries.findLast((delivery) => !isAcknowledged(delivery));
    return {
      ...showWebhook(room._id, one, persons.get(one._id.toHexString())?.name ?? ''),
      ...showRoom(room, one, persons),
      failing_since: failing_since ? showDate(failing_since) : null,
      disabled_at: disabled_at ? showDate(disabled_at) : null,
      last_failure: failure ? showDelivery(failure) : null,
    };
  };
  return { items: found.map(show), next };
}

function showRoom({ name }: NamedRoom, { created_by }: { created_by: ObjectId }, persons: Persons) {
  const { username, name: fullName } = showPerson(persons.get(created_by.toHexString()));
  return { room_name: name, creator: { username, ...(fullName !== undefined && { name: fullName }) } };
}

type NamedRoom = Pick<RoomDocument, '_id' | 'name'>;
type Made<T> = { room: NamedRoom; one: T };

/** In so many rooms at most the page is looked for among those that have such things. */
const mostRooms = 10_000;
/** So often more of them are read where those before had nothing that counts. */
const mostReads = 10;

/**
 * A page of what rooms have, after a place. Which rooms have such things the index of their makers tells; the others,
 * which are most, are not looked at.
 */
async function findMade<T extends { _id: ObjectId }>(
  made: 'invitations' | 'webhooks',
  valid: Document,
  { limit, after }: Page<Place>,
): Promise<{ found: Made<T>[]; next: string | undefined }> {
  const having = await rooms
    .find<{ _id: ObjectId }>(
      { [`${made}.created_by`]: { $gte: leastId } },
      { projection: { _id: 1 }, limit: mostRooms, batchSize: mostRooms },
    )
    .toArray();
  const ids = having
    .map(({ _id }) => _id)
    .filter((id) => !after || compareIds(id, after.room) >= 0)
    .sort(compareIds);
  const isAfter = ({ room, one }: Made<T>) => !after || !room._id.equals(after.room) || compareIds(one._id, after.id) > 0;
  const found: Made<T>[] = [];
  let at = 0;
  for (let reads = 0; reads < mostReads && at < ids.length && found.length <= limit; reads++) {
    const some = ids.slice(at, at + limit + 1);
    at += some.length;
    const read = await rooms
      .aggregate<NamedRoom & { made: T[] }>({ _id: { $in: some } }, [{ $project: { name: 1, made: valid } }], {
        batchSize: limit + 2,
      })
      .toArray();
    read.sort((one, other) => compareIds(one._id, other._id));
    const all = read.flatMap(({ made, ...room }) =>
      made.sort((one, other) => compareIds(one._id, other._id)).map((one) => ({ room, one })),
    );
    found.push(...all.filter(isAfter));
  }
  const { items, next } = pageOf(
    found,
    limit,
    (one) => one,
    ({ room, one }) => placeAt(room._id, one._id),
  );
  const lastRoom = ids[at - 1];
  return { found: items, next: next ?? (lastRoom && at < ids.length ? placeAt(lastRoom, greatestId) : undefined) };
}

const leastId = new ObjectId('0'.repeat(24));
const greatestId = new ObjectId('f'.repeat(24));
const placeAt = (room: ObjectId, id: ObjectId) => room.toHexString() + id.toHexString();
const compareIds = (one: ObjectId, other: ObjectId) => (one.toHexString() < other.toHexString() ? -1 : one.equals(other) ? 0 : 1);
