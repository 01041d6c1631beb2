import { useState } from 'preact/hooks';
import { momentInWords } from '../../i18n/moments.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import { ask, chat, type Session } from '../../service/api.ts';
import { idOf } from '../../service/ids.ts';
import { deviceNameOf } from '../../text/device-names.ts';
import { attempt, Check, Loading } from '../shared/controls.tsx';
import { confirmed } from '../shared/dialog.tsx';
import { Icon } from '../shared/icon.tsx';
import { useLoaded } from '../shared/use-list.ts';
import { Section } from './section.tsx';
import { sessionTitle } from './session-title.ts';

/** The devices where the user is signed in, with a button to sign out. */
export function Devices() {
  const [isRevoking, setRevoking] = useState(false);
  const { value, failure, reload } = useLoaded(() => ask(chat.GET('/api/sessions', { params: { query: { limit: 200 } } })), []);
  if (!value) return <Loading failure={failure} onRetry={reload} />;
  const words = laterStrings.settings;
  // This one first, then those that were used last.
  const sessions = (value as Session[]).toSorted(
    (one, other) => Number(other.is_current) - Number(one.is_current) || usedAt(other) - usedAt(one),
  );
  const oldest = new Date(Math.min(...sessions.map(({ created_at }) => Date.parse(created_at.$date))));
  const end = async (session: Session) => {
    const params = { path: { session: idOf(session) } };
    await attempt(() => ask(chat.DELETE('/api/sessions/{session}', { params })));
    reload();
  };
  const endOthers = async () => {
    if (!(await confirmed(words.endOthersAsk, words.endOthers))) return;
    const query = isRevoking ? { tokens_since: oldest.toISOString() } : {};
    await attempt(() => ask(chat.DELETE('/api/sessions', { params: { query } })));
    reload();
  };
  return (
    <Section title={words.sessions} hint={words.sessionsHint}>
      <ul class="listed plain">
        {sessions.map((session) => (
          <li key={idOf(session)}>
            <SessionRow session={session} onEnd={() => void end(session)} />
          </li>
        ))}
      </ul>
      {sessions.length > 1 && (
        <>
          <Check label={words.revokeSince(momentInWords(oldest))} isChecked={isRevoking} onChange={setRevoking} />
          <button type="button" class="quiet" onClick={() => void endOthers()}>
            {words.endOthers}
          </button>
        </>
      )}
    </Section>
  );
}

const usedAt = ({ last_used_at, created_at }: Session) => Date.parse((last_used_at ?? created_at).$date);

function SessionRow({ session, onEnd }: { session: Session; onEnd: () => void }) {
  const words = laterStrings.settings;
  const title = sessionTitle(session);
  return (
    <>
      <span class="mark">
        <Icon name={deviceNameOf(session.name).isPhone ? 'phone' : 'computer'} />
      </span>
      <p class="body">
        <strong>
          <bdi>{title}</bdi>
        </strong>
        {session.is_current && <span class="tag">{words.sessionThis}</span>}
        <small class="muted">
          {session.is_current
            ? words.sessionOf(momentInWords(new Date(session.created_at.$date)))
            : session.last_used_at
              ? words.sessionUsed(momentInWords(new Date(session.last_used_at.$date)))
              : words.sessionOf(momentInWords(new Date(session.created_at.$date)))}
        </small>
      </p>
      {!session.is_current && (
        <button type="button" class="quiet" aria-label={words.endOf(title)} onClick={onEnd}>
          {words.end}
        </button>
      )}
    </>
  );
}
