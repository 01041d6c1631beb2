import type { ComponentChildren } from 'preact';
import { roomPath } from '../routes.ts';
import { strings } from '../strings.ts';
import { BackLink } from './controls.tsx';
import { Icon } from './icon.tsx';

/** What stands beside a room, or in its place where none is open. */
export const Side = ({ room, title, children }: { room: string | undefined; title: string; children: ComponentChildren }) =>
  room === undefined ? (
    <main class="pane">
      <header class="bar">
        <BackLink />
        <h1 class="title">{title}</h1>
      </header>
      {children}
    </main>
  ) : (
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
