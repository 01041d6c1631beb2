import type { ComponentChildren } from 'preact';
import { roomPath } from '../routes.ts';
import { strings } from '../strings.ts';
import { Icon } from './icon.tsx';

/** What stands beside a room. */
export const Side = ({ room, title, children }: { room: string; title: string; children: ComponentChildren }) => (
  <aside class="side" aria-label={title} id="side" tabIndex={-1}>
    <header class="bar">
      <h2 class="title">{title}</h2>
      <a class="icon-button" href={roomPath(room)} aria-label={strings.app.close} title={strings.app.close}>
        <Icon name="close" />
      </a>
    </header>
    {children}
  </aside>
);
