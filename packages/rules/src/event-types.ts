/** The events of rooms that webhooks may send, in the groups that people choose from. */
export const eventGroups = {
  created: ['message.created'],
  changed: ['message.edited', 'message.deleted'],
  pinned: ['message.pinned', 'message.unpinned'],
  reactions: ['reaction.added', 'reaction.removed'],
  actions: ['action.pressed'],
  members: ['member.joined', 'member.left', 'member.kicked', 'member.banned', 'member.changed'],
  room: ['room.changed', 'room.archived'],
} as const;
