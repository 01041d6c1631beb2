import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { type AboutTab, roomPath } from '../../device/routes.ts';
import { strings } from '../../i18n/strings.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import type { MyRoom } from '../../store/kept.ts';
import { may } from '../../store/rooms/permissions.ts';
import { roomOf } from '../../store/rooms/rooms.ts';
import { useRoving } from '../shared/roving.tsx';
import { Side } from '../shared/side.tsx';
import './about-side.css';

type AboutSideProps = { room: string; tab: AboutTab; children: ComponentChildren };

/** The facts and settings of a room, in tabs. */
export function AboutSide({ room, tab, children }: AboutSideProps) {
  const mine = roomOf(room);
  const nav = useRef<HTMLUListElement>(null);
  useRoving(nav, { rows: 'li', first: (rows) => rows.find((row) => row.querySelector('[aria-current]')) ?? rows[0] });
  const words = laterStrings.about;
  return (
    <Side room={room} title={mine?.isDirect ? words.conversation : strings.room.details}>
      <nav aria-label={strings.room.details}>
        <ul class="about-tabs" ref={nav}>
          {tabsOf(mine).map((name) => (
            <li key={name}>
              <a href={roomPath(room, { panel: name })} aria-current={name === tab ? 'page' : undefined}>
                {words.tabs[name]}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      {children}
    </Side>
  );
}

/** The tabs that have something for the user. */
export function tabsOf(mine: MyRoom | undefined): AboutTab[] {
  if (!mine || mine.isDirect) return ['details', 'members', 'pins'];
  return [
    'details',
    'members',
    'pins',
    ...(may(mine, 'seeWebhooks') ? (['integrations'] as const) : []),
    ...(may(mine, 'change', { asAdmin: true }) ? (['settings'] as const) : []),
  ];
}
