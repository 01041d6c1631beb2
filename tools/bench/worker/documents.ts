import { ObjectId } from 'mongodb';
import { createUser } from '../../../lib/accounts/accounts.ts';
import type { MessageDocument } from '../../../lib/collections/rooms/messages.ts';
import { newRoom, type RoomDocument } from '../../../lib/collections/rooms/rooms.ts';
import { createToken } from '../../../lib/identity/api-tokens.ts';
import { tokensOf } from '../../../lib/messages/search/tokens.ts';
import { roomKey } from '../../../lib/rooms/rooms.ts';

/** Creates an account with a token. */
export async function anAccount(username: string, is_admin = false) {
  const password = 'a long password';
  const { _id } = await createUser({ username, email: `${username}@example.org`, password, is_admin });
  const id = new ObjectId(_id.$oid);
  const { token } = await createToken(id, 'bench');
  return { id, username, password, token };
}

/** A room with these members. The first is its owner and creator. */
export function aRoom(members: ObjectId[], fields: Partial<RoomDocument> = {}): RoomDocument {
  const _id = new ObjectId();
  const created_at = fields.created_at ?? new Date();
  const name = fields.name ?? `Room ${_id.toHexString()}`;
  return {
    ...newRoom,
    _id,
    name,
    name_key: roomKey(name, _id),
    members: members.map((user, at) => ({
      _id: new ObjectId(),
      user,
      role: at === 0 ? 'owner' : 'member',
      joined_at: created_at,
    })),
    created_at,
    created_by: members[0] as ObjectId,
    changed_at: created_at,
    ...fields,
  };
}

/** The message at position `seq` of a room. */
export const aMessage = (
  room: ObjectId,
  user: ObjectId,
  seq: number,
  fields: Partial<MessageDocument> & Pick<MessageDocument, 'text' | 'created_at'>,
): MessageDocument => ({
  _id: new ObjectId(),
  room,
  seq,
  ordinal: seq,
  user,
  edited_at: null,
  deleted_at: null,
  thread: null,
  mentions: [],
  reactions: [],
  pinned_at: null,
  words: tokensOf(fields, user),
  ...fields,
});
