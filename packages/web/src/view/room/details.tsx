import { dayOf } from '../../i18n/dates.ts';
import { strings } from '../../i18n/strings.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import { settings } from '../../service/settings.ts';
import { nameOf, personOf } from '../../store/people/names.ts';
import { roomOf } from '../../store/rooms/rooms.ts';
import { aboutRoom } from '../../store/rooms/topics.ts';
import { AboutSide, tabsOf } from '../lists/about-side.tsx';
import { Check, Choice, Loading } from '../shared/controls.tsx';
import { Icon } from '../shared/icon.tsx';
import { chooseFor, chosenFor, hide, leave, roomChoices, setFavourite } from '../sidebar/room-actions.ts';
import { kindOfRoom } from '../sidebar/room-kind.tsx';
import { Line } from '../text/markdown.tsx';
import { Webhooks } from './webhooks.tsx';

// For `admin/parts.tsx`.
export { Webhooks };

type DetailsProps = { room: string; failure: unknown; onRetry: () => void };

/**
 * The purpose of a room, the user's own settings and the facts; or the error if they could not be
 * read.
 */
export function Details({ room, failure, onRetry }: DetailsProps) {
  const { room: about, details } = aboutRoom(room);
  const mine = roomOf(room);
  if (!about || !details || !mine)
    return (
      <AboutSide room={room} tab="details">
        <Loading failure={failure} onRetry={onRetry} />
      </AboutSide>
    );
  const words = laterStrings.details;
  const kind = kindOfRoom(about);
  const creator = personOf(details.created_by.$oid);
  const day = dayOf(new Date(details.created_at.$date));
  return (
    <AboutSide room={room} tab="details">
      <div class="side-content about-room">
        {!mine.isDirect && (
          <p dir="auto">{details.topic ? <Line text={details.topic} /> : <span class="muted">{words.noTopic}</span>}</p>
        )}
        <Choice
          name="notify_of"
          label={strings.lists.notifications.title}
          choices={roomChoices}
          chosen={chosenFor(mine)}
          shown={(choice) => words.notifyOf[choice]}
          onChange={(choice) => chooseFor(mine, choice)}
        />
        <Check label={words.favourite} isChecked={mine.isFavourite} onChange={(is) => setFavourite(room, is)} />
        <ul class="facts">
          {!mine.isDirect && (
            <li>
              <Icon name={kind === 'open' ? 'hash' : 'lock'} />
              {laterStrings.welcome.readers[kind](settings.name)}
            </li>
          )}
          <li>
            <Icon name="user" />
            {creator && !mine.isDirect ? words.createdBy(nameOf(creator), day) : words.created(day)}
          </li>
          <li>
            <Icon name="reply" />
            {words.messages(details.message_count)}
          </li>
          {details.retention_days !== null && (
            <li>
              <Icon name="remove" />
              {laterStrings.retention.kept(details.retention_days)}
            </li>
          )}
        </ul>
        <div class="stack">
          {mine.isDirect ? (
            <button type="button" onClick={() => hide(room)}>
              {strings.details.hide}
            </button>
          ) : (
            <button type="button" onClick={() => void leave(room)}>
              <Icon name="logOut" /> {strings.details.leave}
            </button>
          )}
        </div>
      </div>
    </AboutSide>
  );
}

/** The programs that post into a room, or are sent what happens in it. */
export const Integrations = (props: DetailsProps) =>
  tabsOf(roomOf(props.room)).includes('integrations') ? (
    <AboutSide room={props.room} tab="integrations">
      <div class="side-content">
        <Webhooks key={props.room} room={props.room} isOpen />
      </div>
    </AboutSide>
  ) : (
    <Details {...props} />
  );
