import { lateCode } from '../../device/late-code.ts';
import { route } from '../../device/routes.ts';
import { strings } from '../../i18n/strings.ts';
import { mayInvite } from '../../store/rooms/invitations.ts';
import { roomOf, rooms } from '../../store/rooms/rooms.ts';
import { openDialog } from '../shared/dialog.tsx';

const loadInvite = lateCode(() => import('./invite.tsx'));

/** True if the user may invite people to some room. */
export const mayInviteAnywhere = (): boolean => (rooms.value ?? []).some(mayInvite);

/**
 * Opens the dialog that invites people: to a room, or to the one that is open, which can be
 * changed.
 */
export async function openInvite(room?: string): Promise<void> {
  const { Invite } = await loadInvite();
  const { value } = route;
  const open = value.name === 'room' ? roomOf(value.room) : undefined;
  const first = room ?? (open && mayInvite(open) ? open.id : undefined);
  openDialog(strings.rooms.invite, () => <Invite room={first} isChosen={room !== undefined} />);
}
