import { mayMakeRooms, me } from '../../account/session.ts';
import { go, listPath } from '../../device/routes.ts';
import { chooseTheme, chosenTheme } from '../../device/theme.ts';
import { strings } from '../../i18n/strings.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import { mayInviteAnywhere, openInvite } from '../inviting/open-invite.tsx';
import type { IconName } from '../shared/icon.tsx';
import type { Command, Option } from './jump-options.ts';

/** A command of the page. */
export type PageCommand = Command & { icon: IconName; act: () => unknown };
export type PageOption = Option<PageCommand>;

/** The dialogs that some commands open. */
export type Openers = Record<'newConversation' | 'newRoom' | 'shortcuts', () => unknown>;

/** The commands of "Search or jump to…", the most usual first. */
export function pageCommands(openers: Openers): PageCommand[] {
  const { jump } = laterStrings;
  const isDark = getComputedStyle(document.documentElement).colorScheme === 'dark' || prefersDark();
  return [
    { label: strings.rooms.direct, icon: 'edit', act: openers.newConversation },
    ...(mayMakeRooms() ? [{ label: strings.directory.create, icon: 'plus' as const, act: openers.newRoom }] : []),
    ...(mayInviteAnywhere() ? [{ label: strings.rooms.invite, icon: 'invite' as const, act: () => openInvite() }] : []),
    { label: strings.rooms.browse, icon: 'compass', act: () => go('/directory') },
    { label: strings.lists.notifications.title, icon: 'bell', act: () => go(listPath('notifications')) },
    { label: strings.lists.threads.title, icon: 'reply', act: () => go(listPath('threads')) },
    { label: strings.lists.saved.title, icon: 'save', act: () => go(listPath('saved')) },
    {
      label: isDark ? jump.light : jump.dark,
      icon: isDark ? 'sun' : 'moon',
      words: laterStrings.settings.theme,
      act: () => chooseTheme(isDark ? 'light' : 'dark'),
    },
    { label: laterStrings.people.settings, icon: 'user', words: strings.rooms.settings, act: () => go('/settings/profile') },
    { label: jump.notifySettings, icon: 'settings', words: strings.rooms.settings, act: () => go('/settings/notifications') },
    { label: laterStrings.settings.sessions, icon: 'lock', words: strings.rooms.settings, act: () => go('/settings/sessions') },
    ...(me().is_admin ? [{ label: strings.rooms.administration, icon: 'settings' as const, act: () => go('/admin') }] : []),
    { label: strings.shortcuts.title, icon: 'keyboard', act: openers.shortcuts },
  ];
}

const prefersDark = () => chosenTheme() === 'system' && matchMedia('(prefers-color-scheme: dark)').matches;
