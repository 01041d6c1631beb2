import { roles } from 'chat-service-rules/permissions';
import { me } from '../../account/session.ts';
import { notice } from '../../device/announcer.tsx';
import { strings } from '../../i18n/strings.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import { ask, chat, type RoomDetails } from '../../service/api.ts';
import { may } from '../../store/rooms/permissions.ts';
import { changeMyRoom, distrustLists, roomOf } from '../../store/rooms/rooms.ts';
import { aboutRoom, learnAbout, loadAbout } from '../../store/rooms/topics.ts';
import { AboutSide, tabsOf } from '../lists/about-side.tsx';
import { RoomPicture } from '../people/picture-form.tsx';
import { attempt, Check, Choice, Field, Form, Loading } from '../shared/controls.tsx';
import { confirmed } from '../shared/dialog.tsx';
import { remove } from '../sidebar/room-actions.ts';
import { flagsOf, kindOfRoom, RoomKindField } from '../sidebar/room-kind.tsx';
import { Details } from './details.tsx';

type RoomSettingsProps = { room: string; failure: unknown; onRetry: () => void };

/** The settings of a room for owners and administrators. */
export function RoomSettings({ room, failure, onRetry }: RoomSettingsProps) {
  const { room: about, details } = aboutRoom(room);
  const mine = roomOf(room);
  if (!about || !details || !mine)
    return (
      <AboutSide room={room} tab="settings">
        <Loading failure={failure} onRetry={onRetry} />
      </AboutSide>
    );
  if (!tabsOf(mine).includes('settings')) return <Details room={room} failure={failure} onRetry={onRetry} />;
  const isOwner = may(mine, 'change');
  const isAdmin = me().is_admin && !mine.isDirect;
  return (
    <AboutSide room={room} tab="settings">
      <div class="side-content about-room">
        {isOwner && (
          <>
            <RoomPicture room={room} avatar={details.avatar} />
            <Change key={`${about.is_open} ${about.is_visible}`} room={room} />
          </>
        )}
        {isAdmin && (
          <Check
            label={laterStrings.details.isDefault}
            isChecked={details.is_default}
            onChange={(is_default) => changeDetails(room, { is_default })}
          />
        )}
        <div class="stack">
          {isOwner && (
            <button type="button" onClick={() => void changeDetails(room, { archived: details.archived_at === null })}>
              {details.archived_at === null ? laterStrings.details.archive : laterStrings.details.unarchive}
            </button>
          )}
          {isAdmin && (
            <button type="button" class="danger" onClick={() => void remove(room)}>
              {laterStrings.details.remove}
            </button>
          )}
        </div>
      </div>
    </AboutSide>
  );
}

function Change({ room }: { room: string }) {
  const { room: about, details } = aboutRoom(room);
  const kindBefore = about ? kindOfRoom(about) : 'open';
  const save = async ({ name = '', topic = '', role = 'member', days = '', kind }: Record<string, string>) => {
    const params = { path: { room } };
    const kept = details?.retention_days ?? null;
    const retention_days = days === '' ? null : Number(days);
    const isLess = retention_days !== null && (kept === null || retention_days < kept);
    const words = laterStrings.retention;
    if (isLess && !(await confirmed(words.ask(retention_days), words.agree, { isDangerous: true }))) return;
    const mention_all_role = role as RoomDetails['mention_all_role'];
    const changes = { topic, mention_all_role, ...(retention_days !== kept && { retention_days }) };
    // A hidden room that is open stays so, unless another kind is chosen.
    const flags = about && kind === kindBefore ? { is_open: about.is_open, is_visible: about.is_visible } : flagsOf(kind);
    await ask(chat.PUT('/api/rooms/{room}', { params, body: { name, ...flags } }));
    learnAbout(room, {
      details: (await ask(chat.PATCH('/api/rooms/{room}/details', { params, body: changes }))) as RoomDetails,
    });
    changeMyRoom(room, { name });
    distrustLists();
    await loadAbout(room);
    notice(laterStrings.details.saved);
  };
  return (
    <Form onSubmit={save} submit={strings.app.save}>
      <Field label={laterStrings.details.name} name="name" value={about?.name ?? ''} maxLength={100} />
      <Field label={laterStrings.details.topic} name="topic" value={details?.topic ?? ''} maxLength={250} required={false} />
      <RoomKindField legend={laterStrings.newRoom.who} chosen={kindBefore} />
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
