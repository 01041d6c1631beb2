import { strings } from '../strings.ts';
import { connection } from '../sync/connection.ts';
import { Icon } from './icon.tsx';

/** Says it when the service is out of reach, or asks to slow down. */
export function Banner() {
  const state = connection.value;
  return (
    <div class="banner-place" role="status">
      {state !== 'online' && (
        <p class="banner">
          <Icon name="offline" />
          {state === 'offline' ? strings.app.offline : strings.app.limited}
        </p>
      )}
    </div>
  );
}
