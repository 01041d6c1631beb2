import { ask, chat, type RoomDetails } from '../api.ts';
import { dayOf } from '../dates.ts';
import { idOf } from '../ids.ts';
import { go } from '../routes.ts';
import { me } from '../session.ts';
import { forgetRoom } from '../store/cache.ts';
import { hideRoom } from '../store/hidden.ts';
import { isOnlyOwner } from '../store/more-members.ts';
import { changeMyRoom, dropRoom, roomOf } from '../store/rooms.ts';
import { dropTimeline, knownTimeline } from '../store/timelines.ts';
import { aboutRoom, learnAbout, loadAbout } from '../store/topics.ts';
import { strings } from '../strings.ts';
import { notice } from './announcer.tsx';
import { attempt, Field, Form, Loading } from './controls.tsx';
import { confirmed, openMessage } from './dialog.tsx';
import { Line } from './markdown.tsx';
import { Side } from './side.tsx';

type DetailsProps = { room: string; failure: unknown; onRetry: () => void };

/** What there is to know of a room, and to change for those who may; or why it could not be read. */
export function Details({ room, failure, onRetry }: DetailsProps) {
  const { room: about, details } = aboutRoom(room);
  const mine = roomOf(room);
  if (!about || !details || !mine)
    return (
      <Side room={room} title={strings.details.title}>
        <Loading failure={failure} onRetry={onRetry} />
      </Side>
    );
  const isOwner = mine.role === 'owner' && !mine.isDirect;
  return (
    <Side room={room} title={strings.details.title}>
      <div class="side-content details">
        {isOwner ? (
          <Change room={room} />
        ) : (
          <p dir="auto">{details.topic ? <Line text={details.topic} /> : <span class="muted">{strings.details.noTopic}</span>}</p>
        )}
        <p class="muted">
          {strings.details.created(dayOf(new Date(details.created_at.$date)))} · {strings.details.messages(details.message_count)}
        </p>
        <label class="check">
          <input
            type="checkbox"
            checked={mine.isMuted}
            onChange={({ currentTarget }) => void mute(room, currentTarget.checked)}
          />{' '}
          {strings.details.mute}
        </label>
        <div class="stack">
          {isOwner && (
            <button type="button" onClick={() => void archive(room, details.archived_at === null)}>
              {details.archived_at === null ? strings.details.archive : strings.details.unarchive}
            </button>
          )}
          {mine.isDirect && (
            <button type="button" onClick={() => hide(room)}>
              {strings.details.hide}
            </button>
          )}
          {!mine.isDirect && (
            <button type="button" onClick={() => void leave(room)}>
              {strings.details.leave}
            </button>
          )}
          {me().is_admin && !mine.isDirect && (
            <button type="button" class="danger" onClick={() => void remove(room)}>
              {strings.details.remove}
            </button>
          )}
        </div>
      </div>
    </Side>
  );
}

function Change({ room }: { room: string }) {
  const { room: about, details } = aboutRoom(room);
  const save = async ({ name = '', topic = '', ...flags }: Record<string, string>) => {
    const params = { path: { room } };
    const body = { name, is_open: 'is_open' in flags, is_visible: 'is_visible' in flags };
    await ask(chat.PUT('/api/rooms/{room}', { params, body }));
    learnAbout(room, {
      details: (await ask(chat.PATCH('/api/rooms/{room}/details', { params, body: { topic } }))) as RoomDetails,
    });
    changeMyRoom(room, { name });
    await loadAbout(room);
    notice(strings.details.saved);
  };
  return (
    <Form onSubmit={save} submit={strings.app.save}>
      <Field label={strings.details.name} name="name" value={about?.name ?? ''} maxLength={100} />
      <Field label={strings.details.topic} name="topic" value={details?.topic ?? ''} maxLength={250} required={false} />
      <label class="check">
        <input type="checkbox" name="is_open" defaultChecked={about?.is_open ?? false} /> {strings.details.isOpen}
      </label>
      <label class="check">
        <input type="checkbox" name="is_visible" defaultChecked={about?.is_visible ?? false} /> {strings.details.isVisible}
      </label>
    </Form>
  );
}

async function mute(room: string, is_muted: boolean): Promise<void> {
  const member = roomOf(room)?.member ?? '';
  changeMyRoom(room, { isMuted: is_muted });
  const done = await attempt(() =>
    ask(chat.PATCH('/api/members/{member}', { params: { path: { member } }, body: { is_muted } })),
  );
  if (!done) changeMyRoom(room, { isMuted: !is_muted });
}

const archive = (room: string, archived: boolean) =>
  attempt(async () => {
    const params = { path: { room } };
    learnAbout(room, {
      details: (await ask(chat.PATCH('/api/rooms/{room}/details', { params, body: { archived } }))) as RoomDetails,
    });
  });

function hide(room: string): void {
  // What was just sent here reaches the open room before the list of rooms.
  hideRoom(room, Math.max(roomOf(room)?.seq ?? 0, knownTimeline(room)?.place.at ?? 0));
  go('/');
  notice(strings.details.hidden);
}

async function leave(room: string): Promise<void> {
  const mayHaveTo = roomOf(room)?.role === 'owner';
  let mustStay = false;
  const isKnown = await attempt(async () => {
    mustStay = mayHaveTo && (await isOnlyOwner(room, idOf(me())));
  });
  if (!isKnown) return;
  if (mustStay) return openMessage(strings.details.mustStay, strings.details.mustStayHint);
  if (!(await confirmed(strings.details.leaveAsk, strings.details.leave))) return;
  const member = roomOf(room)?.member ?? '';
  if (await attempt(() => ask(chat.DELETE('/api/members/{member}', { params: { path: { member } } })))) gone(room);
}

async function remove(room: string): Promise<void> {
  if (!(await confirmed(strings.details.removeAsk, strings.details.remove))) return;
  if (await attempt(() => ask(chat.DELETE('/api/rooms/{room}', { params: { path: { room } } })))) gone(room);
}

function gone(room: string): void {
  go('/', { replace: true });
  dropRoom(room);
  dropTimeline(room);
  void forgetRoom(room);
}
