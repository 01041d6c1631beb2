import type { MyRoom } from '../kept.ts';
import { countForMe } from './counts.ts';

type Candidate = Pick<MyRoom, 'id' | 'unread' | 'mentions' | 'isDirect' | 'isMuted'>;

/**
 * The room to open first. `list` is in the order of the sidebar. Takes the last opened room,
 * otherwise the first that addresses the user. Otherwise it takes the first unread one, then the
 * first that is not a direct conversation.
 */
export const chooseRoom = <Room extends Candidate>(list: readonly Room[], last: string | undefined): Room | undefined =>
  list.find(({ id }) => id === last) ??
  list.find((room) => countForMe(room) > 0) ??
  list.find(({ unread, isMuted }) => unread > 0 && !isMuted) ??
  list.find(({ isDirect }) => !isDirect) ??
  list[0];
