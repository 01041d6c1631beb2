import { type Json, numberOf, textOf } from '../json.ts';
import type { SourcePerson } from '../source.ts';
import { ZulipReactions } from './reactions.ts';

/** The tables of `realm.json` that are read. */
export const realmTables = [
  ...['zerver_userprofile', 'zerver_userprofile_mirrordummy', 'zerver_userprofile_crossrealm', 'zerver_stream'],
  ...['zerver_recipient', 'zerver_subscription', 'zerver_reaction'],
] as const;

/** The kinds of recipients, as Zulip numbers them. */
const toPerson = 1;
export const toStream = 2;
const toGroup = 3;

type Room = { key: string; kind: 'direct' | 'stream' | 'unknown'; members: number[] };

/** The people, channels, memberships and reactions in `realm.json`. */
export class ZulipRealm {
  readonly people = new Map<string, SourcePerson>();
  /** Undefined for a name that several people have. */
  readonly idByName = new Map<string, string | undefined>();
  /** The server's own bots, by their ids. */
  readonly systemBots = new Map<string, string>();
  readonly streams = new Map<number, Json>();
  readonly recipients = new Map<number, { type: number; of: number }>();
  readonly subscribers = new Map<number, number[]>();
  readonly reactions = new ZulipReactions();
  /** The rooms of messages outside channels, by their keys. */
  readonly others = new Map<string, Room>();

  /** Adds a record of one of the tables. */
  note(table: string, record: Json): void {
    switch (table) {
      case 'zerver_userprofile':
        this.#notePerson(record);
        break;
      case 'zerver_userprofile_mirrordummy':
        // Placeholders for people of another chat, who cannot sign in.
        this.#notePerson({ ...record, is_active: false });
        break;
      case 'zerver_userprofile_crossrealm': {
        const [id, email] = [textOf(record.id), textOf(record.email)];
        if (id !== undefined) this.systemBots.set(id, email?.replace(/@.*/, '') || 'zulip');
        break;
      }
      case 'zerver_stream': {
        const id = numberOf(record.id);
        if (id !== undefined) this.streams.set(id, record);
        break;
      }
      case 'zerver_recipient': {
        const [id, type, of] = [numberOf(record.id), numberOf(record.type), numberOf(record.type_id)];
        if (id !== undefined && type !== undefined && of !== undefined) this.recipients.set(id, { type, of });
        break;
      }
      case 'zerver_subscription': {
        const [recipient, user] = [numberOf(record.recipient), numberOf(record.user_profile)];
        if (recipient === undefined || user === undefined || record.active === false) break;
        const found = this.subscribers.get(recipient);
        if (found) found.push(user);
        else this.subscribers.set(recipient, [user]);
        break;
      }
      default:
        this.reactions.add(record);
    }
  }

  #notePerson(user: Json): void {
    const [id, name] = [textOf(user.id), textOf(user.full_name)?.trim()];
    if (id === undefined) return;
    const isBot = user.is_bot === true;
    const email = [user.delivery_email, user.email].map(textOf).find((one) => one && !isHidden.test(one));
    this.people.set(id, {
      id,
      // Only bots have usernames, which are in their addresses.
      username: isBot ? email?.replace(/@.*/, '') : undefined,
      name,
      email: isBot ? undefined : email,
      isBot,
      isActive: user.is_active !== false && user.is_mirror_dummy !== true,
      // Older versions do not have roles.
      isGuest: numberOf(user.role) === guest || user.is_guest === true,
    });
    if (name) this.idByName.set(name, this.idByName.has(name) ? undefined : id);
  }

  /**
   * The room of a message. People who write to each other have one room, however a message was
   * addressed.
   */
  roomOf(message: Json): Room {
    const to = numberOf(message.recipient) ?? -1;
    const { type, of } = this.recipients.get(to) ?? { type: 0, of: 0 };
    if (type === toStream && this.streams.has(of)) return { key: `stream ${of}`, kind: 'stream', members: [] };
    let room: Room = { key: `recipient ${to}`, kind: 'unknown', members: [] };
    if (type === toPerson || type === toGroup) {
      const all = type === toPerson ? [of, numberOf(message.sender) ?? of] : (this.subscribers.get(to) ?? []);
      const members = [...new Set(all)].sort((one, other) => one - other);
      if (members.length > 0) room = { key: `direct ${members.join(' ')}`, kind: 'direct', members };
    }
    const known = this.others.get(room.key);
    if (known) return known;
    this.others.set(room.key, room);
    return room;
  }
}

/** The role of guests. */
const guest = 600;

/** A placeholder for an address that its owner hides. */
const isHidden = /^user\d+@/;
