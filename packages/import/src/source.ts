import type { Readable } from 'node:stream';

/*
 * What the reader of each source turns an archive into: records that know nothing of where they come from. Ids are
 * the source's own, unique among the records of their kind.
 */

/** An account in the source. */
export type SourcePerson = {
  id: string;
  /** Undefined in a source that has no usernames. */
  username: string | undefined;
  name?: string | undefined;
  email?: string | undefined;
  isBot: boolean;
  isActive: boolean;
  /** Whether they can only see the rooms that they are in, which no account of here is limited to. */
  isGuest?: boolean;
};

/** A room in the source. `direct` is a conversation of the people who are in it. */
export type SourceRoom = {
  id: string;
  kind: 'public' | 'private' | 'direct';
  name: string;
  topic: string;
  members: string[];
  owner?: string | undefined;
  createdAt?: Date | undefined;
  isArchived: boolean;
  /** Why nothing of it comes over; its messages are read and counted all the same. */
  leftOut?: string;
  /** What else is worth knowing of it, and is counted. */
  note?: string;
  /** Its messages in the order of their times, and what can't be one. */
  messages: (usernameOf: UsernameOf) => AsyncIterable<SourceItem>;
};

/** A message, or a record that can't become one. */
export type SourceItem = SourceMessage | LeftOut;

export type SourceMessage = {
  id: string;
  /** Who wrote it. Of an author whom the people of the archive lack, this is all that is known. */
  author: Pick<SourcePerson, 'id' | 'isBot'> & { username?: string | undefined; name?: string | undefined };
  at: Date;
  /** In Markdown, with the usernames that people have here. */
  text: string;
  editedAt?: Date | undefined;
  /** The message with which its thread began, and when; absent for one that began one, or stands alone. */
  thread?: { id: string; at: Date } | undefined;
  /** Whether a reply stands in the room as well. */
  isInRoom?: boolean;
  reactions: { emoji: string; user: string }[];
  pinnedAt?: Date | undefined;
  files: SourceFile[];
  raw: unknown;
};

/** A file of a message. `open` reads its bytes, where the archive has them; otherwise its address is all that comes over. */
export type SourceFile = {
  id: string;
  name: string;
  type?: string | undefined;
  address?: string | undefined;
  size?: number;
  open?: () => Promise<Readable>;
  /** What it is to be called when its bytes can't be read. */
  lack?: string;
  /** Why nothing is left of it in the source, so that the text does not name it either. */
  gone?: string;
};

/** A record that does not come over, and why. */
export type LeftOut = { leftOut: string; kind?: Kind; raw: unknown };

/** The username that somebody has here, by the id in the source. */
export type UsernameOf = (id: string) => string | undefined;

/** The kinds of things that are counted. */
export const kinds = ['people', 'rooms', 'members', 'messages', 'reactions', 'files', 'pages', 'parts'] as const;
export type Kind = (typeof kinds)[number];

/** A file of an archive, and its size in bytes. */
export type ArchiveFile = { name: string; size: number };

/** An archive of another chat. */
export type Source = {
  /** The name of the other chat, which its ids are made with. */
  name: string;
  people: () => AsyncIterable<SourcePerson>;
  rooms: () => AsyncIterable<SourceRoom>;
  /** What of it could not be read when it was opened. */
  unreadable?: () => LeftOut[];
  /** What shows that the archive was cut off, or is not whole for another reason. */
  readonly cutOff?: string | undefined;
  /** The files of the archive that nothing was read from. */
  unread?: () => ArchiveFile[];
  /** How much of it was read, in a unit of its own. */
  progress: () => { done: number; all: number };
  close: () => Promise<void>;
};
