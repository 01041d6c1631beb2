import { signal } from '@preact/signals';
import { strings } from '../../i18n/strings.ts';
import { pushLimits } from '../../notify/push.ts';
import { openMessage } from '../shared/dialog.tsx';

/* Installing the page as an app. */

/** The event of a browser that can install the page. */
type InstallPrompt = Event & { prompt: () => Promise<unknown> };

const offered = signal<InstallPrompt | undefined>(undefined);

/** Keeps the browser's offer to install the page, which it makes only once. */
export function watchInstall(): void {
  addEventListener('beforeinstallprompt', (event) => {
    // The page asks from its menu, not the browser from its edge.
    event.preventDefault();
    offered.value = event as InstallPrompt;
  });
  addEventListener('appinstalled', () => {
    offered.value = undefined;
  });
}

const isInstalled = () => matchMedia('(display-mode: standalone)').matches;

/** True if the menu offers to install the page. */
export const mayInstall = (): boolean => offered.value !== undefined || (pushLimits.needsHomeScreen() && !isInstalled());

/** Installs the page or, on an iPhone or iPad, says how. */
export async function install(): Promise<void> {
  const { value } = offered;
  if (!value) return openMessage(strings.rooms.install, strings.rooms.installOnPhone);
  offered.value = undefined;
  await value.prompt();
}
