import type { ObjectId } from 'mongodb';
import { idSchema, showId } from '../api/extended-json.ts';
import { type ListPage, type Page, pageOf, withOneMore } from '../api/pages.ts';
import { described, record, type Shown } from '../api/schema.ts';
import { attempt } from '../base/deadline.ts';
import { notFound, type Refusal } from '../base/errors.ts';
import { rooms } from '../collections/rooms/rooms.ts';
import { inBatches } from '../database/writes.ts';
import type { Caller } from '../identity/caller.ts';
import { type Person, personFields, personReads, showPerson } from '../identity/persons.ts';
import { findContext, findTargetContext, noSuchRoom } from '../rooms/contexts.ts';
import { allowedTo, refusalsOf, requirePermission } from '../rooms/permissions.ts';

/** A user who is banned from a room. */
export const banSchema = record(
  'Ban',
  {
    room: described('The room of the ban.', idSchema),
    user: described('The banned user.', idSchema),
    ...personFields,
  },
  ['name', 'avatar', 'is_bot'],
);
type Ban = Shown<typeof banSchema>;

export const listBansRefusals = [...refusalsOf('seeBans'), noSuchRoom];
const noSuchBan: Refusal = () => notFound('ban');
export const banRefusals = [...refusalsOf('liftBan'), noSuchRoom, noSuchBan];

/** A page of the users who are banned from a room, in the order of their ids; for moderators. */
export async function listBans(room: ObjectId, page: Page, caller: Caller): Promise<ListPage<Ban>> {
  requirePermission(await findContext(room, caller), 'seeBans');
  const rows = await readPage(room, page);
  const show = ({ user, users }: BanRow) => ({
    room: showId(room),
    user: showId(user),
    ...showPerson(users[0]),
  });
  return pageOf(rows, page.limit, show, ({ user }) => user.toHexString());
}

type BanRow = { user: ObjectId; users: Partial<Person>[] };

const readPage = (room: ObjectId, { after, limit }: Page) =>
  rooms
    .aggregate<BanRow>(
      { _id: room },
      [
        { $project: { user: '$banned' } },
        { $unwind: '$user' },
        ...(after ? [{ $match: { user: { $gt: after } } }] : []),
        { $sort: { user: 1 } },
        { $limit: limit + 1 },
        { $lookup: { from: 'users', localField: 'user', foreignField: '_id', as: 'users' } },
        { $project: { user: 1, ...personReads('users.') } },
      ],
      { batchSize: withOneMore(limit).batchSize },
    )
    .toArray();

/**
 * Lifts a ban. The user is not a member until they join again. The room's feed does not get an
 * event.
 */
export async function liftBan(room: ObjectId, user: ObjectId, caller: Caller): Promise<void> {
  await attempt({ times: 10 }, async () => {
    const where = { _id: room, banned: user, ...allowedTo('liftBan', caller) };
    if ((await rooms.updateOne(where, { $pull: { banned: user } })).matchedCount > 0) return true;
    const context = requirePermission(await findTargetContext(room, caller, user), 'liftBan');
    if (!context.isTargetBanned) throw noSuchBan();
    return undefined;
  });
}

/** Lifts all bans of a deleted user. */
export const forgetBans = (user: ObjectId): Promise<void> =>
  inBatches(rooms.unscoped, { banned: user }, (some) => rooms.unscoped.updateMany(some, { $pull: { banned: user } }));
