import type { Event, Member, Message, Room } from '../service/api.ts';

/** The effects of a room's events on this client. */
export type Changes = {
  /** Messages as they are now. */
  messages: Message[];
  /**
   * Messages that have a reply more or less, by id: how many they have is for the service to say.
   */
  repliedTo: string[];
  /** Members as they are now. */
  members: Member[];
  /** Users who have left the room. */
  left: string[];
  /** The room's name and flags as they are now. */
  room: Room | undefined;
  /** True if other details of the room may have changed, such as its topic. */
  areDetailsStale: boolean;
  /** True if the number of members may have changed. */
  isCountStale: boolean;
};

/**
 * Turns events into changes. Each event carries the current version of its subject, so applying one
 * twice, or late, does no harm. If several are about one subject, the last one counts.
 */
export function reduce(events: readonly Event[]): Changes {
  const messages = new Map<string, Message>();
  const members = new Map<string, Member | undefined>();
  const repliedTo = new Set<string>();
  let room: Room | undefined;
  let areDetailsStale = false;
  let isCountStale = false;

  for (const { type, data } of events) {
    if (isMessage(data)) {
      messages.set(data._id.$oid, data);
      if ((type === 'message.created' || type === 'message.deleted') && data.thread) repliedTo.add(data.thread.$oid);
    } else if (isMember(data)) members.set(data.user.$oid, data.role === null ? undefined : (data as Member));
    else if (isRoom(data)) room = data;
    // The room of such an event may be deleted by now: then it lacks data.
    areDetailsStale ||= type.startsWith('room.');
    isCountStale ||= type.startsWith('member.') && type !== 'member.changed';
  }
  return {
    messages: [...messages.values()],
    repliedTo: [...repliedTo],
    members: [...members.values()].filter((member) => member !== undefined),
    left: [...members].filter(([, member]) => member === undefined).map(([user]) => user),
    room,
    areDetailsStale,
    isCountStale,
  };
}

type Data = Event['data'];

const isMessage = (data: Data): data is Message => data !== null && 'text' in data;
const isMember = (data: Data): data is Extract<Data, { role: unknown }> => data !== null && 'role' in data;
const isRoom = (data: Data): data is Room => data !== null && 'is_open' in data;
