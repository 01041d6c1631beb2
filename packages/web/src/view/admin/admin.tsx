import { laterStrings } from '../../i18n/strings-later.ts';
import { BackLink } from '../shared/controls.tsx';
import { AuditTrail } from './audit.tsx';
import { StoredFiles } from './files.tsx';
import { AllInvitations, AllWebhooks } from './made.tsx';
import { ServiceOverview } from './overview.tsx';
import { People } from './people.tsx';
import { Rooms } from './rooms.tsx';
import { ServiceSettings } from './settings.tsx';
import '../settings/settings.css';
import './admin.css';

const tabs = {
  overview: ServiceOverview,
  people: People,
  rooms: Rooms,
  invitations: AllInvitations,
  webhooks: AllWebhooks,
  files: StoredFiles,
  audit: AuditTrail,
  settings: ServiceSettings,
};

/** The administrators' page. Its code is loaded by administrators alone; the service decides what they may do. */
export function Admin({ tab }: { tab: string }) {
  const shown = Object.hasOwn(tabs, tab) ? (tab as keyof typeof tabs) : 'overview';
  const Shown = tabs[shown];
  const words = laterStrings.admin;
  return (
    <main class="pane admin">
      <header class="bar">
        <BackLink />
        <h1 class="title">{words.title}</h1>
      </header>
      <nav class="tabs" aria-label={words.title}>
        {Object.keys(tabs).map((name) => (
          <a
            key={name}
            ref={name === shown ? showTab : null}
            href={`/admin/${name}`}
            aria-current={name === shown ? 'page' : undefined}
          >
            {words.tabs[name as keyof typeof tabs]}
          </a>
        ))}
      </nav>
      <div class="content">
        <Shown />
      </div>
    </main>
  );
}

/** On a narrow screen the tabs are wider than it. */
const showTab = (tab: Element | null) => tab?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
