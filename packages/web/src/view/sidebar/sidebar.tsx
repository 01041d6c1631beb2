import { useLayoutEffect, useRef } from 'preact/hooks';
import { me } from '../../account/session.ts';
import { go, route } from '../../device/routes.ts';
import { strings } from '../../i18n/strings.ts';
import { idOf } from '../../service/ids.ts';
import { settings } from '../../service/settings.ts';
import { currentStatus } from '../../store/people/names.ts';
import { roomOf } from '../../store/rooms/rooms.ts';
import { heldRoom, isUnreadFirst, sections, showUnreadFirst } from '../../store/rooms/sections.ts';
import { countDrafts } from '../../store/unsent/drafts.ts';
import { outbox } from '../../store/unsent/outbox.ts';
import { signOut } from '../../sync/start.ts';
import { mayInviteAnywhere, openInvite } from '../inviting/open-invite.tsx';
import { Rows } from '../lists/rows.tsx';
import { Avatar } from '../people/avatar.tsx';
import { PersonButton } from '../people/person.tsx';
import { attempt, Loading, PersonName, StatusMark } from '../shared/controls.tsx';
import { confirmed } from '../shared/dialog.tsx';
import { Icon } from '../shared/icon.tsx';
import { MenuButton, type MenuItem } from '../shared/menu.tsx';
import { useRoving } from '../shared/roving.tsx';
import { BeyondEdges } from './beyond-edges.tsx';
import { install, mayInstall } from './install.ts';
import { openShortcuts, openSwitcher } from './keys.tsx';
import { doing, Part, prepare } from './rooms.tsx';

/** The list is one tab stop, at first the open room. */
const roomRows = {
  rows: 'li, .section-head, .browse',
  first: (rows: readonly HTMLElement[]) => rows.find((row) => row.querySelector('[aria-current=page]')) ?? rows[0],
};

/** The list of the user's rooms, with links to everything else. */
export function Sidebar() {
  const user = me();
  const list = sections.value;
  const box = useRef<HTMLDivElement>(null);
  useRoving(box, roomRows, [list === undefined]);
  const { value } = route;
  const current = value.name === 'room' ? value.room : undefined;
  const bringIntoView = () => box.current?.querySelector('[aria-current=page]')?.scrollIntoView({ block: 'nearest' });
  useLayoutEffect(() => {
    heldRoom.value = current !== undefined && (roomOf(current)?.unread ?? 0) > 0 ? current : undefined;
    bringIntoView();
  }, [current]);
  // The open room also stays in view when the order changes, unless the user is looking for
  // something in the list.
  useLayoutEffect(() => {
    if (!box.current?.matches(':hover, :focus-within')) bringIntoView();
  }, [list]);
  return (
    <nav class="sidebar" aria-label={strings.rooms.title} id="rooms" tabIndex={-1}>
      <header>
        <a class="brand" href="/">
          <img src="/icon.svg" alt="" width="24" height="24" />
          <bdi>{settings.name}</bdi>
        </a>
        <MenuButton label={strings.rooms.menu} items={serviceMenu} />
      </header>
      <button type="button" class="jump" onClick={() => void openSwitcher()} aria-keyshortcuts="Control+K">
        <Icon name="search" /> {strings.rooms.switchTo}
        <kbd>{strings.shortcuts.keys[0]?.[0]}</kbd>
      </button>
      <div class="rooms-frame">
        <div class="rooms" ref={box} onPointerEnter={prepare} onFocusIn={prepare}>
          {list ? (
            <>
              <Rows />
              {list.map((section) => (
                <Part key={section.name} {...section} />
              ))}
            </>
          ) : (
            <Loading />
          )}
        </div>
        <BeyondEdges box={box} />
      </div>
      {list && mayInviteAnywhere() && (
        <button type="button" class="invite" onClick={() => void openInvite()}>
          <Icon name="invite" /> {strings.rooms.invite}
        </button>
      )}
      <footer>
        <PersonButton user={idOf(user)} person={user}>
          <Avatar person={user} id={idOf(user)} />
          <span class="who">
            <PersonName person={user} />
            <StatusMark status={currentStatus(user.status)} />
          </span>
        </PersonButton>
        <a class="icon-button" href="/settings" aria-label={strings.rooms.settings} title={strings.rooms.settings}>
          <Icon name="settings" />
        </a>
      </footer>
    </nav>
  );
}

/** The menu of the service. */
const serviceMenu = (): readonly MenuItem[] => [
  { label: strings.rooms.markAllRead, icon: 'check', act: doing((rooms) => rooms.markAllRead()) },
  {
    label: isUnreadFirst.value ? strings.rooms.sortByName : strings.rooms.unreadFirst,
    icon: 'sort',
    act: () => showUnreadFirst(!isUnreadFirst.value),
  },
  { label: strings.shortcuts.title, icon: 'keyboard', act: () => openShortcuts() },
  ...(mayInstall() ? [{ label: strings.rooms.install, icon: 'download' as const, act: () => void install() }] : []),
  ...(me().is_admin ? [{ label: strings.rooms.administration, icon: 'settings' as const, act: () => go('/admin') }] : []),
  { label: strings.rooms.logOut, icon: 'logOut', act: () => void signOutAfterAsking() },
];

/** Signs out; asks first when there are messages or drafts that were not sent. */
async function signOutAfterAsking(): Promise<void> {
  const [unsent, drafts] = [outbox.value.length, await countDrafts()];
  const isSure =
    unsent + drafts === 0 ||
    (await confirmed(strings.outbox.unsentAsk(unsent, drafts), strings.rooms.logOut, { isDangerous: true }));
  if (!isSure) return;
  if (await attempt(signOut)) go('/login', { replace: true });
}
