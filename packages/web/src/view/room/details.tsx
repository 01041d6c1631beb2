import { me } from '../../account/session.ts';
import { notice } from '../../device/announcer.tsx';
import { dayOf } from '../../i18n/dates.ts';
import { strings } from '../../i18n/strings.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import { ask, chat, type RoomDetails } from '../../service/api.ts';
import { roles } from '../../store/people/members.ts';
import { changeMyRoom, roomOf } from '../../store/rooms/rooms.ts';
import { aboutRoom, learnAbout, loadAbout } from '../../store/rooms/topics.ts';
import { RoomPicture } from '../people/picture-form.tsx';
import { attempt, Check, Choice, Field, Form, Loading } from '../shared/controls.tsx';
import { confirmed } from '../shared/dialog.tsx';
import { Side } from '../shared/side.tsx';
import { chooseFor, chosenFor, hide, leave, remove, roomChoices, setFavourite } from '../sidebar/room-actions.ts';
import { Line } from '../text/markdown.tsx';
import { Webhooks } from './webhooks.tsx';

// For `admin/parts.tsx`.
export { Webhooks };

type DetailsProps = { room: string; failure: unknown; onRetry: () => void };

/** What there is to know of a room, and to change for those who may; or why it could not be read. */
export function Details({ room, failure, onRetry }: DetailsProps) {
  const { room: about, details } = aboutRoom(room);
  const mine = roomOf(room);
  if (!about || !details || !mine)
    return (
      <Side room={room} title={laterStrings.details.title}>
        <Loading failure={failure} onRetry={onRetry} />
      </Side>
    );
  const isOwner = mine.role === 'owner' && !mine.isDirect;
  return (
    <Side room={room} title={laterStrings.details.title}>
      <div class="side-content details">
        {isOwner ? (
          <>
            <RoomPicture room={room} avatar={details.avatar} />
            <Change room={room} />
          </>
        ) : (
          <p dir="auto">
            {details.topic ? <Line text={details.topic} /> : <span class="muted">{laterStrings.details.noTopic}</span>}
          </p>
        )}
        {details.retention_days !== null && <p>{laterStrings.retention.kept(details.retention_days)}</p>}
        <p class="muted">
          {laterStrings.details.created(dayOf(new Date(details.created_at.$date)))} ·{' '}
          {laterStrings.details.messages(details.message_count)}
        </p>
        <Check label={laterStrings.details.favourite} isChecked={mine.isFavourite} onChange={(is) => setFavourite(room, is)} />
        <Choice
          name="notify_of"
          label={laterStrings.details.notify}
          choices={roomChoices}
          chosen={chosenFor(mine)}
          shown={(choice) => laterStrings.details.notifyOf[choice]}
          onChange={(choice) => chooseFor(mine, choice)}
        />
        {me().is_admin && !mine.isDirect && (
          <Check
            label={laterStrings.details.isDefault}
            isChecked={details.is_default}
            onChange={(is_default) => changeDetails(room, { is_default })}
          />
        )}
        {mine.role !== 'member' && !mine.isDirect && <Webhooks key={room} room={room} />}
        <div class="stack">
          {isOwner && (
            <button type="button" onClick={() => void changeDetails(room, { archived: details.archived_at === null })}>
              {details.archived_at === null ? laterStrings.details.archive : laterStrings.details.unarchive}
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
              {laterStrings.details.remove}
            </button>
          )}
        </div>
      </div>
    </Side>
  );
}

function Change({ room }: { room: string }) {
  const { room: about, details } = aboutRoom(room);
  const save = async ({ name = '', topic = '', role = 'member', days = '', ...flags }: Record<string, string>) => {
    const params = { path: { room } };
    const kept = details?.retention_days ?? null;
    const retention_days = days === '' ? null : Number(days);
    const isLess = retention_days !== null && (kept === null || retention_days < kept);
    if (
      isLess &&
      !(await confirmed(laterStrings.retention.ask(retention_days), laterStrings.retention.agree, { isDangerous: true }))
    )
      return;
    const mention_all_role = role as RoomDetails['mention_all_role'];
    const changes = { topic, mention_all_role, ...(retention_days !== kept && { retention_days }) };
    const body = { name, is_open: 'is_open' in flags, is_visible: 'is_visible' in flags };
    await ask(chat.PUT('/api/rooms/{room}', { params, body }));
    learnAbout(room, {
      details: (await ask(chat.PATCH('/api/rooms/{room}/details', { params, body: changes }))) as RoomDetails,
    });
    changeMyRoom(room, { name });
    await loadAbout(room);
    notice(laterStrings.details.saved);
  };
  return (
    <Form onSubmit={save} submit={strings.app.save}>
      <Field label={laterStrings.details.name} name="name" value={about?.name ?? ''} maxLength={100} />
      <Field label={laterStrings.details.topic} name="topic" value={details?.topic ?? ''} maxLength={250} required={false} />
      <label class="check">
        <input type="checkbox" name="is_open" defaultChecked={about?.is_open ?? false} /> {laterStrings.details.isOpen}
      </label>
      <label class="check">
        <input type="checkbox" name="is_visible" defaultChecked={about?.is_visible ?? false} /> {laterStrings.details.isVisible}
      </label>
      <Choice
        name="role"
        label={laterStrings.details.forAll}
        choices={roles}
        chosen={details?.mention_all_role ?? 'member'}
        shown={(role) => laterStrings.details.forAllRoles[role]}
      />
      <Field
        label={laterStrings.retention.field}
        name="days"
        pattern="[0-9]*"
        fault={laterStrings.retention.fault}
        value={String(details?.retention_days ?? '')}
        required={false}
      />
    </Form>
  );
}

const changeDetails = (room: string, body: { archived: boolean } | { is_default: boolean }) =>
  attempt(async () => {
    const details = await ask(chat.PATCH('/api/rooms/{room}/details', { params: { path: { room } }, body }));
    learnAbout(room, { details: details as RoomDetails });
  });
