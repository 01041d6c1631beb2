/** A member's role. */
export type Role = 'member' | 'moderator' | 'owner';

/** The expected state of a room. Users are numbers; number 0 is an admin. */
export type ModelRoom = {
  name: string;
  is_open: boolean;
  is_visible: boolean;
  archived: boolean;
  deleted: boolean;
  members: Map<number, Role>;
  banned: Set<number>;
};

/** An action in a room. */
export type Action =
  | { does: 'read' | 'read details' | 'delete' }
  | { does: 'change'; change: Partial<Pick<ModelRoom, 'name' | 'is_open' | 'is_visible'>> }
  | { does: 'archive'; archived: boolean }
  | { does: 'add'; target: number; role: Role }
  | { does: 'remove'; target: number; ban: boolean }
  | { does: 'change role'; target: number; role: Role }
  | { does: 'unban'; target: number };

/** A room with one owner. */
export const aModelRoom = (name: string, owner: number): ModelRoom => ({
  name,
  is_open: true,
  is_visible: true,
  archived: false,
  deleted: false,
  members: new Map([[owner, 'owner']]),
  banned: new Set(),
});

/**
 * The rules in their simplest form: applies an action to the room and returns the expected status.
 */
export function act(room: ModelRoom, actor: number, action: Action, mostMembers: number): number {
  const rank = rankOf(room, actor);
  const isHidden = room.deleted || (rank === 0 && !room.is_visible);
  switch (action.does) {
    case 'read':
      return isHidden ? 404 : 200;
    case 'read details':
      return isHidden ? 404 : rank === 0 ? 403 : 200;
    case 'delete':
      if (actor !== 0) return 403;
      if (room.deleted) return 404;
      room.deleted = true;
      return 204;
    case 'change':
      if (isHidden) return 404;
      if (rank < ranks.owner) return 403;
      Object.assign(room, action.change);
      return 200;
    case 'archive':
      if (isHidden) return 404;
      if (rank < ranks.owner) return 403;
      room.archived = action.archived;
      return 200;
    case 'unban':
      if (isHidden) return 404;
      if (rank < ranks.moderator) return 403;
      return room.banned.delete(action.target) ? 204 : 404;
    case 'add':
      return isHidden ? 404 : add(room, actor, rank, action, mostMembers);
    case 'remove':
      return isHidden || rank === 0 || !room.members.has(action.target) ? 404 : remove(room, actor, rank, action);
    case 'change role':
      return isHidden || rank === 0 || !room.members.has(action.target) ? 404 : changeRole(room, rank, action);
  }
}

const ranks = { stranger: 0, member: 1, moderator: 2, owner: 3, admin: 4 } as const;

function rankOf(room: ModelRoom, user: number): number {
  return user === 0 ? ranks.admin : ranks[room.members.get(user) ?? 'stranger'];
}

const isLastOwner = ({ members }: ModelRoom, user: number) =>
  members.get(user) === 'owner' && [...members.values()].filter((role) => role === 'owner').length === 1;

type Of<Name extends Action['does']> = Extract<Action, { does: Name }>;

function add(room: ModelRoom, actor: number, rank: number, { target, role }: Of<'add'>, mostMembers: number): number {
  if (role !== 'member' && rank < ranks.owner) return 403;
  if (target !== actor && rank < ranks.member) return 403;
  if (room.members.has(target)) return 409;
  if (room.banned.has(target)) return 403;
  if (rank === ranks.stranger && !room.is_open) return 403;
  if (room.archived || room.members.size >= mostMembers) return 409;
  room.members.set(target, role);
  return 201;
}

function remove(room: ModelRoom, actor: number, rank: number, { target, ban }: Of<'remove'>): number {
  if (target === actor && ban) return 400;
  if (target !== actor && rank < (room.members.get(target) === 'member' ? ranks.moderator : ranks.owner)) return 403;
  if (isLastOwner(room, target) && room.members.size > 1) return 409;
  room.members.delete(target);
  if (ban) room.banned.add(target);
  return 204;
}

function changeRole(room: ModelRoom, rank: number, { target, role }: Of<'change role'>): number {
  if (rank < ranks.owner) return 403;
  if (role !== 'owner' && isLastOwner(room, target)) return 409;
  room.members.set(target, role);
  return 200;
}
