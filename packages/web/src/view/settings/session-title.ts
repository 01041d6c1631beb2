import { laterStrings } from '../../i18n/strings-later.ts';
import type { Session } from '../../service/api.ts';
import { deviceNameOf } from '../../text/device-names.ts';

/** The device of a session, such as "Firefox on Windows". */
export function sessionTitle({ name }: Pick<Session, 'name'>): string {
  const { browser, system } = deviceNameOf(name);
  const words = laterStrings.settings;
  if (browser !== undefined && system !== undefined) return words.deviceOn(browser, system);
  return browser ?? system ?? words.unknownDevice;
}
