import { laterStrings } from '../strings-later.ts';
import { AuditTrail } from './admin-audit.tsx';
import { People } from './admin-people.tsx';
import { ServiceSettings } from './admin-settings.tsx';
import { BackLink } from './controls.tsx';
import './settings.css';
import './admin.css';

const tabs = { people: People, audit: AuditTrail, settings: ServiceSettings };

/** The administrators' page. Its code is loaded by administrators alone; the service decides what they may do. */
export function Admin({ tab }: { tab: string }) {
  const shown = Object.hasOwn(tabs, tab) ? (tab as keyof typeof tabs) : 'people';
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
          <a key={name} href={`/admin/${name}`} aria-current={name === shown ? 'page' : undefined}>
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
