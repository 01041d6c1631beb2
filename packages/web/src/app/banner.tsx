import { useState } from 'preact/hooks';
import { keepsCookies } from '../account/session.ts';
import { strings } from '../i18n/strings.ts';
import { settings } from '../service/settings.ts';
import { keeping } from '../store/cache.ts';
import { connection } from '../store/connection.ts';
import { IconButton } from '../view/shared/controls.tsx';
import { Icon } from '../view/shared/icon.tsx';

/**
 * Warns if the service is out of reach or asks to slow down, and if this browser cannot store
 * drafts and messages.
 */
export function Banner() {
  const state = connection.value;
  return (
    <div class="banner-place" role="status">
      {state !== 'online' && (
        <p class="banner">
          <Icon name="offline" />
          {state === 'offline'
            ? strings.app.offline
            : state === 'unreachable'
              ? strings.app.serviceDown(settings.name)
              : strings.app.limited}
        </p>
      )}
      <Keeping />
    </div>
  );
}

/** The warning that this browser cannot store content, until the user closes it. */
function Keeping() {
  const [isRead, setRead] = useState(false);
  const { value } = keeping;
  const isCookieless = !keepsCookies();
  if (isRead || (value === 'all' && !isCookieless)) return null;
  return (
    <p class="banner">
      <span>
        {value === 'full' ? strings.app.keepsNoMore : strings.app.keepsNothing}
        {isCookieless && ` ${strings.app.keepsNoCookies}`}
      </span>
      <IconButton icon="close" label={strings.app.close} onPress={() => setRead(true)} />
    </p>
  );
}
