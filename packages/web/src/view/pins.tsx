import { ask, chat, type Message } from '../api.ts';
import { strings } from '../strings.ts';
import { Loading } from './controls.tsx';
import { Results } from './results.tsx';
import { Side } from './side.tsx';
import { useLoaded } from './use-list.ts';

/** The messages that are pinned in a room. */
export function Pins({ room }: { room: string }) {
  const { value, failure, reload } = useLoaded(async () => {
    const query = { room, pinned: 'true' as const, limit: 100 };
    return (await ask(chat.GET('/api/messages', { params: { query } }))) as Message[];
  }, [room]);
  return (
    <Side room={room} title={strings.pins.title}>
      <div class="side-content">
        {!value ? (
          <Loading failure={failure} onRetry={reload} />
        ) : value.length === 0 ? (
          <p class="muted center">{strings.pins.none}</p>
        ) : (
          <Results messages={value.toReversed()} />
        )}
      </div>
    </Side>
  );
}
