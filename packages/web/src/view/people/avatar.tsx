import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { bearer } from '../../service/api.ts';
import { nameOf, type Person } from '../../store/people/names.ts';
import { Icon } from '../shared/icon.tsx';
import { later } from '../shared/later.tsx';

const Fetched = later<{ address: string; onThere: () => void }>(
  async () => (await import('../files/files.tsx')).Fetched,
  () => null,
);

/** Where the pictures are that were seen: they are there at once. */
const seen = new Set<string>();

/** Someone's picture or, without one and before it is there, the initials, of two words at most, on a colour of theirs. */
export const Avatar = ({ person, id }: { person: Person | undefined; id: string }) => (
  <Picture hue={hashOf(id) % 16} address={person?.avatar && `/api/users/${id}/avatar?version=${person.avatar}`}>
    {(person && initialsOf(nameOf(person))) || '?'}
  </Picture>
);

/** The picture of a room, or the sign that it is one. */
export const RoomMark = ({ id, avatar }: { id: string; avatar: string | undefined }) =>
  avatar ? (
    <Picture hue="none" address={`/api/rooms/${id}/avatar?version=${avatar}`}>
      <Icon name="hash" />
    </Picture>
  ) : (
    <Icon name="hash" />
  );

type PictureProps = { address: string | undefined; hue: number | 'none'; children: ComponentChildren };

/** A picture, and what stands for it before it is there. */
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

const initialsOf = (name: string) =>
  name
    .split(/[\s._-]+/)
    .map((word) => /[\p{L}\p{N}]/u.exec(word)?.[0]?.toUpperCase() ?? '')
    .filter(Boolean)
    .slice(0, 2)
    .join('');

/** FNV-1a, in 32 bits: ids that were made together differ in their last digits alone. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193);
  // Its lowest bits alone would mix too little.
  return (hash ^ (hash >>> 15)) >>> 0;
}
