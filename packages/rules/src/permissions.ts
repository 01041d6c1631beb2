/** The roles of a member in a room, from the least to the most. */
export const roles = ['member', 'moderator', 'owner'] as const;
export type Role = (typeof roles)[number];

/** A user's ranks in a room, from lowest to highest. Administrators need not be members. */
export const ranks = ['stranger', ...roles, 'admin'] as const;
export type Rank = (typeof ranks)[number];

/** The condition under which an action in a room is permitted. */
export type Permission = {
  /** The lowest rank that may do it. */
  least: Exclude<Rank, 'admin'>;
  /** Administrators must be members to do it, like everybody else. */
  asMember?: true;
  /** It is not possible in an archived room. */
  notArchived?: true;
  /**
   * It is not possible in a direct conversation, whose people and settings never change, not even
   * by administrators.
   */
  notDirect?: true;
  /** Plain members may do it as well, unless `INVITATIONS` reserves it for moderators. */
  isInviting?: true;
};

/**
 * The permissions in a room. The service derives its checks, the filters of its updates and the
 * documented refusals from this table. The page shows what it permits.
 */
export const permissions = {
  read: { least: 'member' },
  send: { least: 'member', asMember: true, notArchived: true },
  react: { least: 'member', asMember: true, notArchived: true },
  press: { least: 'member', asMember: true, notArchived: true },
  pressAsModerator: { least: 'moderator', asMember: true, notArchived: true },
  pressAsOwner: { least: 'owner', asMember: true, notArchived: true },
  edit: { least: 'member', asMember: true, notArchived: true },
  pin: { least: 'moderator', asMember: true, notArchived: true },
  // Also in an archived room: no text may stay unfinished.
  endStream: { least: 'member' },
  // Also in an archived room, so that regretted messages can be deleted.
  deleteOwnMessage: { least: 'member' },
  deleteMessage: { least: 'moderator' },
  join: { least: 'stranger', notArchived: true, notDirect: true },
  joinInvited: { least: 'stranger', notArchived: true, notDirect: true },
  invite: { least: 'moderator', isInviting: true, notArchived: true, notDirect: true },
  seeOwnInvitations: { least: 'moderator', isInviting: true },
  seeInvitations: { least: 'moderator' },
  addWebhook: { least: 'moderator', notArchived: true, notDirect: true },
  seeWebhooks: { least: 'moderator' },
  add: { least: 'moderator', isInviting: true, notArchived: true, notDirect: true },
  appoint: { least: 'owner', notArchived: true, notDirect: true },
  changeRole: { least: 'owner', notDirect: true },
  leave: { least: 'stranger', notDirect: true },
  removeMember: { least: 'moderator', notDirect: true },
  removeModerator: { least: 'owner', notDirect: true },
  seeBans: { least: 'moderator' },
  liftBan: { least: 'moderator' },
  change: { least: 'owner', notDirect: true },
} as const satisfies Record<string, Permission>;

/** Something that can be done in a room. */
export type Action = keyof typeof permissions;

/** The permission of an action. `membersInvite` is false if only moderators may invite. */
export function permissionOf(action: Action, membersInvite: boolean): Permission {
  const permission: Permission = permissions[action];
  return permission.isInviting && membersInvite ? { ...permission, least: 'member' } : permission;
}

/** A user in a room; the role is absent for users who are not members. */
export type RoomUser = { role?: Role | undefined; isAdmin: boolean };

/** True if the user's rank suffices, in a room of any kind. */
export function hasRank({ least, asMember }: Permission, { role, isAdmin }: RoomUser): boolean {
  const rank: Rank = isAdmin && !asMember ? 'admin' : (role ?? 'stranger');
  return ranks.indexOf(rank) >= ranks.indexOf(least);
}

/** The kind of a room, as far as permissions depend on it. */
export type RoomKind = { isDirect: boolean; isArchived: boolean };

/** True if the user may do something in a room now. */
export const isPermitted = (permission: Permission, { isDirect, isArchived, ...standing }: RoomUser & RoomKind): boolean =>
  hasRank(permission, standing) && !(permission.notDirect && isDirect) && !(permission.notArchived && isArchived);
