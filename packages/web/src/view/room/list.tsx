import type { ListName } from '../../device/routes.ts';
import { later } from '../shared/later.tsx';

const Threads = later(async () => (await import('../message/thread/threads.tsx')).Threads);
const OtherList = later(async () => (await import('../lists/lists.tsx')).List);

/** A list across all rooms, beside the open room or in its place. */
export const List = ({ list, room }: { list: ListName; room?: string }) =>
  list === 'threads' ? <Threads room={room} /> : <OtherList list={list} room={room} />;
