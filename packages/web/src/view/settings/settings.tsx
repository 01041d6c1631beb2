import { me } from '../../account/session.ts';
import { strings } from '../../i18n/strings.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import { settings } from '../../service/settings.ts';
import { safeName } from '../../text/names.ts';
import { later } from '../shared/later.tsx';
import { MenuPane } from '../shared/menu-pane.tsx';
import { openShortcuts } from '../sidebar/keys.tsx';
import { AccessTokens } from './access-tokens.tsx';
import { Devices } from './devices.tsx';
import { Notifications } from './notifications.tsx';
import { Profile } from './profile.tsx';
import { Section } from './section.tsx';
import './settings.css';

const Bots = later(async () => (await import('./bots.tsx')).Bots);
const SecondFactor = later(async () => (await import('./second-factor.tsx')).SecondFactor);
const Passkeys = later(async () => (await import('./passkeys.tsx')).Passkeys);

const tabs = {
  profile: Profile,
  notifications: Notifications,
  security: Security,
  passkeys: PasskeySettings,
  sessions: Devices,
  tokens: AccessTokens,
  bots: OwnBots,
  about: About,
};
type Tab = keyof typeof tabs;

/** The pages of the menu, in their groups. */
const groups: readonly (readonly [title: 'you' | 'protection' | 'integrations', readonly Tab[]])[] = [
  ['you', ['profile', 'notifications']],
  ['protection', ['security', 'passkeys', 'sessions']],
  ['integrations', ['tokens', 'bots']],
];

/** The settings of the user, and of this browser. */
export function Settings({ tab }: { tab: string }) {
  const shown = Object.hasOwn(tabs, tab) ? (tab as Tab) : 'profile';
  const Shown = tabs[shown];
  const words = laterStrings.settings;
  const pageOf = (name: Tab) => ({
    href: `/settings/${name}`,
    label: name === 'notifications' ? words.notificationsAndAppearance : words[name],
    isShown: name === shown,
  });
  const service = [
    pageOf('about'),
    ...(me().is_admin ? [{ href: '/admin', label: strings.rooms.administration, isShown: false }] : []),
  ];
  return (
    <MenuPane
      class="settings"
      title={strings.rooms.settings}
      path="/settings"
      isMenu={tab === ''}
      groups={[
        ...groups.map(([title, pages]) => ({ title: words.groups[title], pages: pages.map(pageOf) })),
        { title: safeName(settings.name), pages: service },
      ]}
    >
      <Shown key={shown} />
    </MenuPane>
  );
}

function Security() {
  return (
    <Section title={laterStrings.settings.security} hint={laterStrings.secondFactor.hint}>
      <SecondFactor />
    </Section>
  );
}

function PasskeySettings() {
  return (
    <Section title={laterStrings.settings.passkeys} hint={laterStrings.passkeys.hint}>
      <Passkeys />
    </Section>
  );
}

function OwnBots() {
  return (
    <Section title={laterStrings.settings.bots} hint={laterStrings.bots.hint}>
      <Bots />
    </Section>
  );
}

/** The service and its documentation. */
function About() {
  return (
    <Section title={settings.name}>
      <p>{laterStrings.settings.version(settings.version)}</p>
      <p>
        <a href={settings.docs} target="_blank" rel="noreferrer">
          {laterStrings.settings.api}
        </a>
      </p>
      <button type="button" onClick={openShortcuts}>
        {strings.shortcuts.title}
      </button>
    </Section>
  );
}
