import { strings } from '../../../i18n/strings.ts';
import { nameOf, personOf } from '../../../store/people/names.ts';
import { activities, typing } from '../../../store/people/typing.ts';

/**
/**
 * The people who are typing in a room, and what bots do in its threads or in one thread. Screen
 * readers do not announce it, because it changes all the time.
 */
export const Typing = ({ room, thread }: { room: string; thread?: string }) => {
  const names = thread ? [] : typing.value.filter((one) => one.room === room).map((one) => nameOf(personOf(one.user) ?? one));
  const doing = activities.value
    .filter((one) => one.room.$oid === room && (!thread || one.thread.$oid === thread))
    .map((one) => strings.announce.message(one.via ?? nameOf(personOf(one.user.$oid) ?? one), one.text));
  return <p class="typing muted">{[...(names.length > 0 ? [strings.room.typing(names)] : []), ...doing].join(' · ')}</p>;
};
