import { type Document, ObjectId } from 'mongodb';
import { dateSchema, idSchema, showDate, showId } from '../api/extended-json.ts';
import { type ListPage, type Page, pageLimit, pageOf, pageStart, withOneMore } from '../api/pages.ts';
import { about, oneOf, optional, type Parameter } from '../api/parameters.ts';
import { aText, described, orNull, record, type Shown } from '../api/schema.ts';
import { concurrently } from '../base/concurrently.ts';
import { type UserDocument, users } from '../collections/accounts/users.ts';
import { botWebhooks, isWebhookOf, type StoredBotWebhook, withChoice } from '../collections/delivery/bot-webhooks.ts';
import { type DeliveryDocument, webhookStates } from '../collections/delivery/webhook-states.ts';
import { type InvitationDocument, type RoomDocument, rooms, type WebhookDocument } from '../collections/rooms/rooms.ts';
import { aFullName, aUsername, findPersons, type Persons, showPerson } from '../identity/persons.ts';
import { invitationFields, showStoredInvitation, validInvitations } from './invitations.ts';
import { deliverySchema, isAcknowledged, showDelivery } from './outgoing-webhooks.ts';
import { showWebhook, webhookFields } from './webhooks.ts';

/*
 * Lists the invitations and webhooks of all rooms for administrators. They are ordered by room id;
 * the webhooks of bots come last.
 */

/** A cursor of such a list: the last item and its room. Both may have been deleted since. */
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
export const listedWebhookParameters = {
  ...madeParameters,
  is_off: about('Return only webhooks that are switched off.', optional(oneOf('true'))),
};

const creator = record('Creator', { username: aUsername, name: aFullName }, ['name']);
const ofRoom = {
  room_name: described('The name of the room.', aText),
  creator: described('The user who created it.', creator),
};

/** An invitation to any room. */
export const listedInvitationSchema = record('ListedInvitation', { ...invitationFields, ...ofRoom });
type ListedInvitation = Shown<typeof listedInvitationSchema>;

/** A webhook of any room or bot, and how an outgoing one is doing. */
export const listedWebhookSchema = record('ListedWebhook', {
  ...webhookFields,
  room: described('The room; null for the webhook of a bot.', orNull(idSchema)),
  room_name: described('The name of the room; null for the webhook of a bot.', orNull(aText)),
  bot: described('The bot, at whose address the webhook is changed; null for the webhook of a room.', orNull(idSchema)),
  created_by: described(
    "The creator of the webhook, or the owner of its bot; null if the bot belongs to the administrators. The webhook ends with the user's role or account.",
    orNull(idSchema),
  ),
  creator: described('The name of that user; null with `created_by`.', orNull(creator)),
  failing_since: described('The start of the failures; null without failures.', orNull(dateSchema)),
  disabled_at: described('When it was switched off; null while it is on.', orNull(dateSchema)),
  last_failure: described('The latest failed attempt among the last 20; null if none failed.', orNull(deliverySchema)),
});
type ListedWebhook = Shown<typeof listedWebhookSchema>;

/** A page of the valid invitations of all rooms. */
export async function listAllInvitations(page: Page<Place>): Promise<ListPage<ListedInvitation>> {
  const { found, next } = await findMade<InvitationDocument>('invitations', validInvitations(), page);
  const persons = await findPersons(found.map(({ one }) => one.created_by));
  const show = ({ room, one }: RoomItem<InvitationDocument>) => ({
    ...showStoredInvitation(room._id, one),
    ...showRoom(room, one, persons),
  });
  return { items: found.map(show), next };
}

type WebhooksPage = Page<Place> & { is_off?: 'true' | undefined };

/** A page of the webhooks of all rooms, followed by those of all bots. */
export async function listAllWebhooks({ is_off, ...page }: WebhooksPage): Promise<ListPage<ListedWebhook>> {
  const isAtBots = page.after?.room.equals(afterRooms) === true;
  const ofRooms = isAtBots ? { items: [], next: undefined } : await listOfRooms(page, is_off && (await findOff()));
  if (ofRooms.next !== undefined) return ofRooms;
  const after = isAtBots && page.after ? page.after.id : leastId;
  const ofBots = await listOfBots({ limit: page.limit - ofRooms.items.length, after }, is_off !== undefined);
  return { items: [...ofRooms.items, ...ofBots.items], next: ofBots.next };
}

async function listOfRooms(page: Page<Place>, only: Chosen | undefined): Promise<ListPage<ListedWebhook>> {
  const { found, next } = await findMade<WebhookDocument>('webhooks', { $ifNull: ['$webhooks', []] }, page, only);
  const ids = found.map(({ one }) => one._id);
  const [persons, stored] = await Promise.all([
    findPersons([...ids, ...found.map(({ one }) => one.created_by)]),
    webhookStates.find({ _id: { $in: ids } }).toArray(),
  ]);
  const states = new Map(stored.map((state) => [state._id.toHexString(), state]));
  const show = ({ room, one }: RoomItem<WebhookDocument>): ListedWebhook => {
    const { failing_since, disabled_at, deliveries = [] } = states.get(one._id.toHexString()) ?? {};
    return {
      ...showWebhook(room._id, one, persons.get(one._id.toHexString())?.name ?? ''),
      ...showRoom(room, one, persons),
      bot: null,
      failing_since: failing_since ? showDate(failing_since) : null,
      disabled_at: disabled_at ? showDate(disabled_at) : null,
      last_failure: lastFailureIn(deliveries),
    };
  };
  return { items: found.map(show), next };
}

function lastFailureIn(deliveries: DeliveryDocument[]) {
  const failure = deliveries.findLast((delivery) => !isAcknowledged(delivery));
  if (!failure) return null;
  const { seq, type, at, milliseconds, status, answer } = failure;
  return showDelivery({ seq, type, at, milliseconds, status, answer });
}

type OwnedBot = Pick<UserDocument, '_id' | 'owner'>;

/** A page of the webhooks of bots, in the order of their ids. */
async function listOfBots(page: { limit: number; after: ObjectId }, isOff: boolean): Promise<ListPage<ListedWebhook>> {
  const where = { _id: { $gt: page.after }, ...(isOff && wasSwitchedOff) };
  const found = await botWebhooks.find(where, { sort: { _id: 1 }, ...withOneMore(page.limit) }).toArray();
  const shown = found.slice(0, page.limit);
  const bots = shown.map(({ _id }) => _id);
  const owners = await findOwners(bots);
  const failingSince = new Map<string, Date>();
  const [persons] = await Promise.all([
    findPersons([...bots, ...[...owners.values()].flatMap((owner) => owner ?? [])]),
    concurrently(bots, atOnce, async (bot) => {
      const since = await findFailingSince(bot);
      if (since) failingSince.set(bot.toHexString(), since);
    }),
  ]);
  const show = (stored: StoredBotWebhook): ListedWebhook => {
    const { _id, url, events, secret, created_at, disabled_at, deliveries } = withChoice(stored);
    const owner = owners.get(_id.toHexString()) ?? null;
    const { username, name = username } = showPerson(persons.get(_id.toHexString()));
    const since = failingSince.get(_id.toHexString());
    return {
      _id: showId(_id),
      room: null,
      room_name: null,
      bot: showId(_id),
      name,
      url,
      events,
      hint: secret.slice(-4),
      created_by: owner && showId(owner),
      creator: owner && showCreator(owner, persons),
      created_at: showDate(created_at),
      failing_since: since ? showDate(since) : null,
      disabled_at: disabled_at && showDate(disabled_at),
      last_failure: lastFailureIn(deliveries),
    };
  };
  const next = found.length > page.limit ? placeAt(afterRooms, bots.at(-1) ?? leastId) : undefined;
  return { items: shown.filter((one) => isOwned(one, owners)).map(show), next };
}

/** The most bots whose delivery states are read concurrently. */
const atOnce = 4;

/** The time since when deliveries fail in the bot's room that has failed for the longest. */
async function findFailingSince(bot: ObjectId): Promise<Date | undefined> {
  const isFailing = { bot, failing_since: { $gt: new Date(0) } };
  const options = { projection: { failing_since: 1 }, sort: { failing_since: 1 } } as const;
  return (await webhookStates.findOne(isFailing, options))?.failing_since ?? undefined;
}

const wasSwitchedOff = { disabled_at: { $gt: new Date(0) } };

/** A selection of invitations or webhooks, and the rooms that have them. */
type Chosen = { rooms: ObjectId[]; ids: ReadonlySet<string> };

/**
 * The webhooks of rooms that are switched off, found by their states. A state may belong to a
 * webhook that was deleted.
 */
async function findOff(): Promise<Chosen> {
  const options = { projection: { room: 1 }, limit: mostRooms, batchSize: mostRooms + 1 };
  const found = await webhookStates.find(wasSwitchedOff, options).toArray();
  const rooms = new Map(found.map(({ room }) => [room.toHexString(), room]));
  return { rooms: [...rooms.values()], ids: new Set(found.map(({ _id }) => _id.toHexString())) };
}

/** Counts the webhooks of rooms and bots that are switched off, up to a maximum. */
export async function countOff(most: number): Promise<number> {
  const [{ rooms: off, ids }, ofBots] = await Promise.all([findOff(), countOffOfBots(most)]);
  const having =
    off.length === 0
      ? []
      : rooms.find<Pick<RoomDocument, 'webhooks'>>({ _id: { $in: off } }, { projection: { 'webhooks._id': 1 } });
  let ofRooms = 0;
  for await (const { webhooks = [] } of having) ofRooms += webhooks.filter(({ _id }) => ids.has(_id.toHexString())).length;
  return Math.min(most, ofRooms + ofBots);
}

/**
 * Counts the webhooks of bots that are switched off, up to a maximum. Those of an earlier owner do
 * not count.
 */
async function countOffOfBots(most: number): Promise<number> {
  const options = { projection: { owner: 1 }, limit: most, batchSize: most + 1 };
  const found = await botWebhooks.find<Pick<StoredBotWebhook, '_id' | 'owner'>>(wasSwitchedOff, options).toArray();
  if (found.length === 0) return 0;
  const owners = await findOwners(found.map(({ _id }) => _id));
  return found.filter((one) => isOwned(one, owners)).length;
}

/** The owners of bots by the bots' ids; null if a bot does not have an owner. */
async function findOwners(bots: ObjectId[]): Promise<Map<string, ObjectId | null>> {
  const where = { _id: { $in: bots } };
  const found = await users.find<OwnedBot>(where, { projection: { owner: 1 }, batchSize: bots.length + 1 }).toArray();
  return new Map(found.map(({ _id, owner }) => [_id.toHexString(), owner ?? null]));
}

/**
 * True if the webhook of a bot belongs to the bot's present owner. A webhook of an earlier owner
 * does not count.
 */
function isOwned(stored: Pick<StoredBotWebhook, '_id' | 'owner'>, owners: Map<string, ObjectId | null>): boolean {
  const owner = owners.get(stored._id.toHexString());
  return owner !== undefined && isWebhookOf(stored, { owner });
}

const showRoom = ({ name }: NamedRoom, { created_by }: { created_by: ObjectId }, persons: Persons) => ({
  room_name: name,
  creator: showCreator(created_by, persons),
});

function showCreator(creator: ObjectId, persons: Persons) {
  const { username, name } = showPerson(persons.get(creator.toHexString()));
  return { username, ...(name !== undefined && { name }) };
}

type NamedRoom = Pick<RoomDocument, '_id' | 'name'>;
type RoomItem<T> = { room: NamedRoom; one: T };

/** The most rooms among which a page is searched. */
const mostRooms = 10_000;
/** The most reads for a page. A read may find nothing that counts. */
const mostReads = 10;

/**
 * A page of the invitations or webhooks of rooms, after a cursor. The index of their creators lists
 * the rooms that have any, so that the other rooms are not read.
 */
async function findMade<T extends { _id: ObjectId }>(
  made: 'invitations' | 'webhooks',
  valid: Document,
  { limit, after }: Page<Place>,
  only?: Chosen,
): Promise<{ found: RoomItem<T>[]; next: string | undefined }> {
  const ids = (only?.rooms ?? (await findHaving(made)))
    .filter((id) => !after || compareIds(id, after.room) >= 0)
    .sort(compareIds);
  const isChosen = ({ one }: RoomItem<T>) => !only || only.ids.has(one._id.toHexString());
  const isAfter = ({ room, one }: RoomItem<T>) => !after || !room._id.equals(after.room) || compareIds(one._id, after.id) > 0;
  const found: RoomItem<T>[] = [];
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
    found.push(...all.filter((one) => isChosen(one) && isAfter(one)));
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

async function findHaving(made: 'invitations' | 'webhooks'): Promise<ObjectId[]> {
  const where = { [`${made}.created_by`]: { $gte: leastId } };
  const options = { projection: { _id: 1 }, limit: mostRooms, batchSize: mostRooms };
  return (await rooms.find<{ _id: ObjectId }>(where, options).toArray()).map(({ _id }) => _id);
}

const leastId = new ObjectId('0'.repeat(24));
const greatestId = new ObjectId('f'.repeat(24));
/** Stands for the room in a cursor after a bot's webhook: bots come after all rooms. */
const afterRooms = greatestId;
const placeAt = (room: ObjectId, id: ObjectId) => room.toHexString() + id.toHexString();
const compareIds = (one: ObjectId, other: ObjectId) => (one.toHexString() < other.toHexString() ? -1 : one.equals(other) ? 0 : 1);
