import type { ComponentChildren } from 'preact';
import { roomPath } from '../../device/routes.ts';
import { strings } from '../../i18n/strings.ts';
import { BackLink } from './controls.tsx';
import { returnToComposer } from './focus.ts';
import { Icon } from './icon.tsx';

type SideProps = { room: string | undefined; title: string; action?: ComponentChildren; children: ComponentChildren };

/**
 * The panel beside a room, or in its place if none is open; `action` is an action on the whole
 * panel.
 */
export const Side = ({ room, title, action, children }: SideProps) =>
  room === undefined ? (
    <main class="pane">
      <header class="bar">
        <BackLink />
        <h1 class="title">{title}</h1>
        {action}
      </header>
      {children}
    </main>
  ) : (
    <aside class="side" aria-label={title} id="side" tabIndex={-1}>
      <header class="bar">
        <h2 class="title">{title}</h2>
        {action}
        <a
          class="icon-button"
          href={roomPath(room)}
          aria-label={strings.app.close}
          title={strings.app.close}
          onClick={() => setTimeout(() => returnToComposer())}
        >
          <Icon name="close" />
        </a>
      </header>
      {children}
    </aside>
  );
