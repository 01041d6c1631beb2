import type { SourceMessage, SourcePerson } from 'chat-service-import/source';
import { firstCharacters } from 'chat-service-rules/shortened';
import { storable } from 'chat-service-rules/texts';
import type { ObjectId } from 'mongodb';
import { type ImportedDocument, type UserDocument, users } from '../collections/accounts/users.ts';
import { duplicateIn, isDuplicateKey } from '../database/failures.ts';
import { email, emailKey, emailKeys, newUsername } from '../identity/account-names.ts';
import { emailBeginnings, nameBeginnings } from '../identity/beginnings.ts';
import { fullName } from '../identity/persons.ts';
import { isReserved } from '../identity/reserved-names.ts';
import { localPartOf, suggestUsername } from '../identity/username-suggestions.ts';
import type { Ids } from './ids.ts';
import { type KnownAccount, refreshAccount } from './refresh.ts';
import type { Tally } from './tally.ts';
import type { UsernameMap } from './username-map.ts';

/**
 * The account of a person from the source. `username` is undefined after the account was deleted
 * here.
 */
export type Account = { _id: ObjectId; username: string | undefined; isActive: boolean };

type PeopleOptions = {
  source: string;
  /** The import that the accounts refer to. */
  importId: ObjectId;
  ids: Ids;
  tally: Tally;
  isDryRun: boolean;
  mapsByEmail: boolean;
  /** The usernames that the operator has chosen. */
  usernames: UsernameMap | undefined;
};

/** Finds or creates the accounts of a source's people. */
export class People {
  readonly #options: PeopleOptions;
  readonly #accounts = new Map<string, Account>();
  /** The usernames that a dry run would have assigned. */
  readonly #given = new Set<string>();

  constructor(options: PeopleOptions) {
    this.#options = options;
  }

  get = (id: string): Account | undefined => this.#accounts.get(id);

  /** Finds or creates the account of a listed person. */
  async add(person: SourcePerson): Promise<Account> {
    const known = this.#accounts.get(person.id);
    this.#options.tally.read('people');
    if (known) {
      this.#options.tally.leaveOut('people', 'listed twice', person);
      return known;
    }
    return this.#findOrMake(person, true);
  }

  /**
   * The account of a person whom a record refers to. If the archive does not list the person, the
   * account is inactive.
   */
  async named({ id, username, name, isBot }: SourceMessage['author']): Promise<Account> {
    const known = this.#accounts.get(id);
    if (known) return known;
    this.#options.tally.note('people whom the archive names and does not list');
    this.#options.tally.read('people');
    return this.#findOrMake({ id, username: username ?? id, name, isBot, isActive: false }, false);
  }

  async #findOrMake(person: SourcePerson, isListed: boolean): Promise<Account> {
    const account = (await this.#find(person, isListed)) ?? (await this.#make(person, isListed));
    this.#accounts.set(person.id, account);
    return account;
  }

  async #find(person: SourcePerson, isListed: boolean): Promise<Account | undefined> {
    const { ids, tally, mapsByEmail, isDryRun } = this.#options;
    const made = await users.unscoped.findOne<KnownAccount>({ _id: ids('person', person.id) });
    if (made) {
      tally.present('people');
      const wanted = { ...this.#wanted(person), usernames: this.#usernamesFor(person), chosen: this.#chosen(person) };
      const { username, is_active } = isListed ? await refreshAccount(made, wanted, { tally, isDryRun }) : made;
      return { _id: made._id, username, isActive: is_active };
    }
    const same = person.isBot ? undefined : await findByEmail(person.email);
    if (!same) return undefined;
    tally.note(mapsByEmail ? 'people who have an account by their e-mail address' : addressInUse);
    if (!mapsByEmail) return undefined;
    tally.present('people');
    if (same.confirmed_email !== same.email) tally.note(unconfirmed);
    return { _id: same._id, username: same.username, isActive: same.is_active };
  }

  /** The name, address and state of an account, from the source and valid here. */
  #wanted({ name, email: typed, isActive, isGuest }: SourcePerson) {
    const shown = name === undefined ? undefined : fullName.read(firstCharacters(storable(name), 64)) || undefined;
    // Guests are inactive, because all active users can join open rooms.
    return { name: shown, email: email.read(typed), isActive: isActive && !isGuest };
  }

  async #make(person: SourcePerson, isListed: boolean): Promise<Account> {
    const { ids, tally, isDryRun, source, importId } = this.#options;
    const _id = ids('person', person.id);
    const { name, email: own, isActive } = this.#wanted(person);
    const imported: ImportedDocument = {
      import: importId,
      was_active: isActive,
      ...(!isListed && { is_unlisted: true }),
      is_unclaimed: true,
    };
    const account = {
      _id,
      ...(name && { name }),
      is_admin: false,
      is_active: isActive,
      created_at: new Date(),
      session_generation: 0,
      imported,
      ...(person.isBot && { is_bot: true as const }),
    };
    const placeholder = `${_id.toHexString()}@${source}.invalid`;
    let address = own && !(await findByEmail(own)) ? own : placeholder;
    for (const username of this.#usernamesFor(person)) {
      if (isDryRun ? await this.#isTaken(username) : false) continue;
      try {
        if (!isDryRun) await users.unscoped.insertOne({ ...account, ...naming(username, name, address) });
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        if (duplicateIn(error) === 'username') continue;
        if (address === placeholder) throw error;
        // Two people in the archive have the same address.
        address = placeholder;
        await users.unscoped.insertOne({ ...account, ...naming(username, name, address) });
      }
      this.#given.add(username);
      tally.written('people');
      if (person.username !== undefined && username !== person.username.toLowerCase()) tally.note(changed);
      if (person.isActive && !isActive) tally.note('guests, who are inactive until an administrator lets them in');
      if (address === placeholder) tally.note('people without an e-mail address of their own');
      return { _id, username, isActive };
    }
    throw new Error(`All usernames for ${person.username ?? person.id} are taken.`);
  }

  #chosen = ({ id, username, email: typed }: SourcePerson): string | undefined =>
    this.#options.usernames?.find([id, username, typed]);

  /**
   * The candidates for a person's username, the best first: valid by the rules for new names, and
   * with a number if the name is taken.
   */
  *#usernamesFor(person: SourcePerson): Generator<string> {
    const { id, username, name, email: typed } = person;
    const chosen = this.#chosen(person);
    if (chosen !== undefined) yield chosen;
    // A username that people write in mentions is better than one derived from the full name.
    const dotted = username === undefined ? name?.trim().replaceAll(/\s+/g, '.') : undefined;
    const suggested = suggestUsername([username, dotted, localPartOf(email.read(typed))], '-');
    for (const base of [suggested, suggestUsername([`${this.#options.source}-${id}`], '-')])
      for (let number = 1; base !== undefined && number <= mostNumbers; number++) {
        const numbered = newUsername.read(number === 1 ? base : `${base}${number}`);
        if (numbered !== undefined && !isReserved(numbered)) yield numbered;
      }
  }

  async #isTaken(username: string): Promise<boolean> {
    return this.#given.has(username) || (await users.unscoped.findOne({ username }, { projection: { _id: 1 } })) !== null;
  }
}

const changed = 'people whose usernames had to change';
const mostNumbers = 10_000;

/** The names and the address of an account, with their index fields. */
const naming = (username: string, name: string | undefined, address: string) => ({
  ...{ username, email: address, email_key: emailKey(address) },
  name_beginnings: nameBeginnings({ username, name }),
  email_beginnings: emailBeginnings(address),
});

const unconfirmed = 'people mapped to an account whose owner has not confirmed its e-mail address';
const addressInUse = 'people whose e-mail address an account has already, which they were not mapped to';

type SameAddress = Pick<UserDocument, '_id' | 'username' | 'is_active' | 'email' | 'confirmed_email'>;

async function findByEmail(typed: string | undefined): Promise<SameAddress | null> {
  const read = email.read(typed);
  if (read === undefined) return null;
  return users.findOne(
    { email_key: { $in: emailKeys(read) } },
    {
      projection: { username: 1, is_active: 1, email: 1, confirmed_email: 1 },
    },
  );
}
