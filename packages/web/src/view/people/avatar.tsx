import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { bearer } from '../../service/api.ts';
import type { MyRoom } from '../../store/kept.ts';
import { nameOf, type Person } from '../../store/people/names.ts';
import { emojiOf } from '../../text/codes.ts';
import { initialsOf } from '../../text/names.ts';
import { Icon } from '../shared/icon.tsx';
import { later } from '../shared/later.tsx';

const Fetched = later<{ address: string; onThere: () => void }>(
  async () => (await import('../files/files.tsx')).Fetched,
  () => null,
);

/** The addresses of loaded pictures, which appear at once. */
const seen = new Set<string>();

type AvatarProps = {
  person: Person | undefined;
  id: string;
  icon?: string | undefined;
  /** Shows one initial, because two would be too small to read. */
  isSmall?: boolean;
};

/**
 * The picture of a person. Until it is loaded, or without one: up to two initials on the person's
 * colour, or the emoji of a program.
 */
export const Avatar = ({ person, id, icon, isSmall = false }: AvatarProps) => {
  const emoji = icon && (/^:.+:$/.test(icon) ? emojiOf(icon) : icon);
  if (emoji)
    return (
      <span class="avatar of-emoji" aria-hidden="true">
        {emoji}
      </span>
    );
  return (
    <Picture hue={hashOf(id) % 16} address={person?.avatar && `/api/users/${id}/avatar?version=${person.avatar}`}>
      {(person && initialsOf(nameOf(person), isSmall ? 1 : 2)) || '?'}
    </Picture>
  );
};

/** The faces of up to two other people in a conversation. */
export const PeopleMark = ({ room: { id, name, people } }: { room: Pick<MyRoom, 'id' | 'name' | 'people'> }) =>
  people.length > 1 ? (
    <span class="pair">
      {people.slice(0, 2).map((person) => (
        <Avatar key={person.id} person={person} id={person.id} isSmall />
      ))}
    </span>
  ) : (
    <Avatar person={people[0] ?? { username: name }} id={people[0]?.id ?? id} />
  );

type RoomMarkProps = { id: string; avatar?: string | undefined; isOpen?: boolean | undefined };

/** The picture of a room, or the sign of one: a lock if only invited people can join it. */
export const RoomMark = ({ id, avatar, isOpen = true }: RoomMarkProps) => {
  const sign = <Icon name={isOpen ? 'hash' : 'lock'} />;
  return avatar ? (
    <Picture hue="none" address={`/api/rooms/${id}/avatar?version=${avatar}`}>
      {sign}
    </Picture>
  ) : (
    sign
  );
};

type PictureProps = { address: string | undefined; hue: number | 'none'; children: ComponentChildren };

/** A picture, and its placeholder until it is loaded. */
function Picture({ address, hue, children }: PictureProps) {
  const [there, setThere] = useState<string>();
  const isThere = address && (there === address || seen.has(address));
  const onThere = () => {
    seen.add(address as string);
    setThere(address);
  };
  return (
    <span class={`avatar hue-${hue}`} aria-hidden="true">
      {!isThere && children}
      {address &&
        (bearer.token === undefined ? (
          <img key={address} src={address} alt="" loading="lazy" decoding="async" onLoad={onThere} />
        ) : (
          <Fetched key={address} address={address} onThere={onThere} />
        ))}
    </span>
  );
}

/** FNV-1a, in 32 bits: ids that were made together differ in their last digits alone. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193);
  // Its lowest bits alone would mix too little.
  return (hash ^ (hash >>> 15)) >>> 0;
}
