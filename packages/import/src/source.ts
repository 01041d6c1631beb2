import type { Readable } from 'node:stream';

/*
 * The common format of all sources: the readers convert archives to these records. Ids are the
 * source's own. They are unique among records of the same kind.
 */

/** An account in the source. */
export type SourcePerson = {
  id: string;
  /** Undefined if the source does not have usernames. */
  username: string | undefined;
  name?: string | undefined;
  email?: string | undefined;
  isBot: boolean;
  isActive: boolean;
  /**
   * True if they can only see their own rooms. Accounts of this service do not have such a limit.
   */
  isGuest?: boolean;
};

/** A room in the source. `direct` is a conversation between its members. */
export type SourceRoom = {
  id: string;
  kind: 'public' | 'private' | 'direct';
  name: string;
  topic: string;
  members: string[];
  owner?: string | undefined;
  createdAt?: Date | undefined;
  isArchived: boolean;
  /** The reason why the room is left out. Its messages are still read and counted. */
  leftOut?: string;
  /** A further note, which is counted. */
  note?: string;
  /** Its messages ordered by time, and records that cannot become messages. */
  messages: (usernameOf: UsernameOf) => AsyncIterable<SourceItem>;
};

/** A message, or a record that cannot become one. */
export type SourceItem = SourceMessage | LeftOut;

export type SourceMessage = {
  id: string;
  /** The author. If the archive's list of people lacks them, only this is known. */
  author: Pick<SourcePerson, 'id' | 'isBot'> & { username?: string | undefined; name?: string | undefined };
  at: Date;
  /** In Markdown, with the new usernames. */
  text: string;
  editedAt?: Date | undefined;
  /**
   * The message that began its thread, and its time; undefined for a message that is not a reply.
   */
  thread?: { id: string; at: Date } | undefined;
  /** True if a reply also appears in the room. */
  isInRoom?: boolean;
  reactions: { emoji: string; user: string }[];
  pinnedAt?: Date | undefined;
  files: SourceFile[];
  raw: unknown;
};

/**
 * A file of a message. `open` reads its bytes, if the archive has them. Otherwise only its address
 * is imported.
 */
export type SourceFile = {
  id: string;
  name: string;
  type?: string | undefined;
  address?: string | undefined;
  size?: number;
  open?: () => Promise<Readable>;
  /** The name to show if its bytes cannot be read. */
  lack?: string;
  /** The reason why nothing is left of it in the source. Then the text does not name it either. */
  gone?: string;
};

/** A record that is not imported, and the reason. */
export type LeftOut = { leftOut: string; kind?: Kind; raw: unknown };

/** Returns the new username of a person, by the id in the source. */
export type UsernameOf = (id: string) => string | undefined;

/** The kinds of records that are counted. */
export const kinds = ['people', 'rooms', 'members', 'messages', 'reactions', 'files', 'pages', 'parts'] as const;
export type Kind = (typeof kinds)[number];

/** A file of an archive, and its size in bytes. */
export type ArchiveFile = { name: string; size: number };

/** An archive of another chat. */
export type Source = {
  /** The name of the other chat, which is a part of the ids. */
  name: string;
  people: () => AsyncIterable<SourcePerson>;
  rooms: () => AsyncIterable<SourceRoom>;
  /** The parts that could not be read when it was opened. */
  unreadable?: () => LeftOut[];
  /** The evidence that the archive is truncated or otherwise incomplete. */
  readonly cutOff?: string | undefined;
  /** The files of the archive that were not read. */
  unread?: () => ArchiveFile[];
  /** The amount that was read, in the source's own unit. */
  progress: () => { done: number; all: number };
  close: () => Promise<void>;
};
