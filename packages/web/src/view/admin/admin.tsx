import { strings } from '../../i18n/strings.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import { MenuPane } from '../shared/menu-pane.tsx';
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

type Tab = keyof typeof tabs;

/** The pages of the menu, in their groups. */
const groups: readonly (readonly [title: 'service' | 'people' | 'content' | 'system', readonly Tab[]])[] = [
  ['service', ['overview']],
  ['people', ['people', 'invitations']],
  ['content', ['rooms', 'files', 'webhooks']],
  ['system', ['audit', 'settings']],
];

/**
 * The administrators' page. Its code is loaded by administrators alone; the service decides what
 * they may do.
 */
export function Admin({ tab }: { tab: string }) {
  const shown = Object.hasOwn(tabs, tab) ? (tab as Tab) : 'overview';
  const Shown = tabs[shown];
  const words = laterStrings.admin;
  const pageOf = (name: Tab) => ({ href: `/admin/${name}`, label: words.tabs[name], isShown: name === shown });
  return (
    <MenuPane
      class="admin"
      title={strings.rooms.administration}
      path="/admin"
      isMenu={tab === ''}
      groups={groups.map(([title, pages]) => ({ title: words.groups[title], pages: pages.map(pageOf) }))}
    >
      <Shown key={shown} />
    </MenuPane>
  );
}
