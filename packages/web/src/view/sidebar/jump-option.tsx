import type { ComponentChildren } from 'preact';
import { laterStrings } from '../../i18n/strings-later.ts';
import { countForMe } from '../../store/rooms/counts.ts';
import { safeName } from '../../text/names.ts';
import { Avatar, PeopleMark, RoomMark } from '../people/avatar.tsx';
import { PersonNames } from '../shared/controls.tsx';
import { Icon } from '../shared/icon.tsx';
import type { PageOption } from './page-commands.ts';

type JumpOptionProps = { option: PageOption; id: string; isChosen: boolean; onPick: () => void };

/** One option of "Search or jump to…", with its face or icon. */
export const JumpOption = ({ option, id, isChosen, onPick }: JumpOptionProps) => (
  // biome-ignore lint/a11y/useKeyWithClickEvents: the field that has the focus takes the keys
  // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field
  <div id={id} role="option" aria-selected={isChosen} onClick={onPick}>
    {contentOf(option)}
  </div>
);

function contentOf(option: PageOption): ComponentChildren {
  if (option.kind === 'command')
    return (
      <>
        <span class="mark">
          <Icon name={option.command.icon} />
        </span>
        <span class="label">{option.command.label}</span>
      </>
    );
  if (option.kind === 'search')
    return (
      <>
        <span class="mark">
          <Icon name="search" />
        </span>
        <span class="label">{laterStrings.jump.search(option.words)}</span>
      </>
    );
  if (option.kind === 'person')
    return (
      <>
        <Avatar person={option.person} id={option.person.id} />
        <span class="label">
          <PersonNames person={option.person} />
        </span>
      </>
    );
  if (option.kind === 'other')
    return (
      <>
        <span class="mark">
          <RoomMark id={option.room.id} avatar={option.room.avatar} isOpen={option.room.isOpen} />
        </span>
        <span class="label">
          <bdi>{safeName(option.room.name)}</bdi>
        </span>
      </>
    );
  const { room } = option;
  const [first] = room.people;
  const forMe = countForMe(room);
  return (
    <>
      {room.isDirect ? (
        <PeopleMark room={room} />
      ) : (
        <span class="mark">
          <RoomMark id={room.id} avatar={room.avatar} isOpen={room.isOpen} />
        </span>
      )}
      <span class={room.unread > 0 && !room.isMuted ? 'label unread' : 'label'}>
        {room.people.length === 1 && first ? <PersonNames person={first} /> : <bdi>{safeName(room.name)}</bdi>}
      </span>
      {room.isMuted && <Icon name="mute" />}
      {forMe > 0 ? (
        <span class="count">{forMe}</span>
      ) : (
        room.unread > 0 && !room.isMuted && <span class="muted quiet-count">{room.unread}</span>
      )}
    </>
  );
}
