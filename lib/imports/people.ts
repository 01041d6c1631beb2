import type { SourceMessage, SourcePerson } from 'chat-service-import/source';
import { storable } from 'chat-service-rules/texts';
import type { ObjectId } from 'mongodb';
import { type UserDocument, users } from '../collections/accounts/users.ts';
import { duplicateIn, isDuplicateKey } from '../database/failures.ts';
import { emailBeginnings, nameBeginnings } from '../identity/beginnings.ts';
import { fullName } from '../identity/persons.ts';
import { isReserved } from '../identity/reserved-names.ts';
import { email, emailKey, emailKeys, newUsername } from '../identity/users.ts';
import type { Ids } from './ids.ts';
import type { Tally } from './tally.ts';

/** The account that someone of the source has here. Its username is undefined after it was deleted here. */
export type Account = { _id: ObjectId; username: string | undefined; isActive: boolean };

type PeopleOptions = { source: string; ids: Ids; tally: Tally; isDryRun: boolean; mapsByEmail: boolean };

/** The accounts of the people of a source, which are made where there are none. */
export class People {
  readonly #options: PeopleOptions;
  readonly #accounts = new Map<string, Account>();
  /** The usernames that a dry run would have given. */
  readonly #given = new Set<string>();

  constructor(options: PeopleOptions) {
    this.#options = options;
  }

  get = (id: string): Account | undefined => this.#accounts.get(id);

  /** Finds or makes the account of someone whom the archive lists. */
  async add(person: SourcePerson): Promise<Account> {
    const known = this.#accounts.get(person.id);
    this.#options.tally.read('people');
    if (known) {
      this.#options.tally.leaveOut('people', 'listed twice', person);
      return known;
    }
    const account = (await this.#find(person)) ?? (await this.#make(person));
    this.#accounts.set(person.id, account);
    return account;
  }

  /** The account of someone who is named elsewhere; one whom the archive does not list gets an inactive one. */
  async named({ id, username, name, isBot }: SourceMessage['author']): Promise<Account> {
    const known = this.#accounts.get(id);
    if (known) return known;
    this.#options.tally.note('people whom the archive names and does not list');
    return this.add({ id, username: username ?? id, name, isBot, isActive: false });
  }

  async #find({ id, email: typed, isBot }: SourcePerson): Promise<Account | undefined> {
    const { ids, tally, mapsByEmail } = this.#options;
    const made = await users.unscoped.findOne({ _id: ids('person', id) }, { projection: { username: 1, is_active: 1 } });
    if (made) tally.present('people');
    if (made) return { _id: made._id, username: made.username, isActive: made.is_active };
    const same = isBot ? undefined : await findByEmail(typed);
    if (!same) return undefined;
    tally.note(mapsByEmail ? 'people who have an account by their e-mail address' : addressInUse);
    if (!mapsByEmail) return undefined;
    tally.present('people');
    return { _id: same._id, username: same.username, isActive: same.is_active };
  }

  async #make(person: SourcePerson): Promise<Account> {
    const { ids, tally, isDryRun, source } = this.#options;
    const _id = ids('person', person.id);
    // Open rooms are for all who can sign in.
    const isActive = person.isActive && !person.isGuest;
    const name = person.name === undefined ? undefined : fullName.read(storable(person.name).slice(0, 64).toWellFormed());
    const own = email.read(person.email);
    const account = {
      _id,
      ...(name && { name }),
      is_admin: false,
      is_active: isActive,
      created_at: new Date(),
      session_generation: 0,
      ...(person.isBot && { is_bot: true as const }),
    };
    const placeholder = `${_id.toHexString()}@${source}.invalid`;
    let address = own && !(await findByEmail(own)) ? own : placeholder;
    for (const username of usernamesFor(person, source)) {
      if (isDryRun ? await this.#isTaken(username) : false) continue;
      try {
        if (!isDryRun) await users.unscoped.insertOne({ ...account, ...naming(username, name, address) });
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        if (duplicateIn(error) === 'username') continue;
        if (address === placeholder) throw error;
        // Of two people of the archive who have one address.
        address = placeholder;
        await users.unscoped.insertOne({ ...account, ...naming(username, name, address) });
      }
      this.#given.add(username);
      tally.written('people');
      if (username !== person.username.toLowerCase()) tally.note('people whose usernames had to change');
      if (person.isActive && !isActive) tally.note('guests, who are inactive until an administrator lets them in');
      if (address === placeholder) tally.note('people without an e-mail address of their own');
      return { _id, username, isActive };
    }
    throw new Error(`There is no username left for ${person.username}.`);
  }

  async #isTaken(username: string): Promise<boolean> {
    return this.#given.has(username) || (await users.unscoped.findOne({ username }, { projection: { _id: 1 } })) !== null;
  }
}

/** What an account is called and how it is reached, with what finds it by that. */
const naming = (username: string, name: string | undefined, address: string) => ({
  ...{ username, email: address, email_key: emailKey(address) },
  name_beginnings: nameBeginnings({ username, name }),
  email_beginnings: emailBeginnings(address),
});

const addressInUse = 'people whose e-mail address an account has already, which they were not mapped to';

async function findByEmail(typed: string | undefined): Promise<Pick<UserDocument, '_id' | 'username' | 'is_active'> | null> {
  const read = email.read(typed);
  if (read === undefined) return null;
  return users.findOne({ email_key: { $in: emailKeys(read) } }, { projection: { username: 1, is_active: 1 } });
}

/** The usernames that someone may get, the likeliest first: by the rules for new ones, and with a number where one is taken. */
function* usernamesFor({ id, username }: SourcePerson, source: string): Generator<string> {
  for (const wanted of [username, `${source}-${id}`]) {
    const base = wanted
      .normalize('NFKD')
      .replaceAll(/\p{M}/gu, '')
      .toLowerCase()
      .replaceAll(/[^a-z0-9._-]+/g, '-')
      .replaceAll(/^[._-]+|[._-]+$/g, '')
      .slice(0, longestBase);
    for (let number = 1; base !== '' && number <= mostNumbers; number++) {
      const name = newUsername.read(number === 1 ? base : `${base}${number}`);
      if (name !== undefined && !isReserved(name)) yield name;
    }
  }
}

/** So long that a number still fits behind it. */
const longestBase = 58;
const mostNumbers = 10_000;
