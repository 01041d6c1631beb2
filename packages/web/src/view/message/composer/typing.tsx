import { strings } from '../../../i18n/strings.ts';
import { nameOf, personOf } from '../../../store/people/names.ts';
import { typing } from '../../../store/people/typing.ts';

/**
 * The people who are typing in a room. Screen readers do not announce it, because it changes all
 * the time.
 */
export const Typing = ({ room }: { room: string }) => {
  const names = typing.value.filter((one) => one.room === room).map((one) => nameOf(personOf(one.user) ?? one));
  return <p class="typing muted">{names.length > 0 && strings.room.typing(names)}</p>;
};
