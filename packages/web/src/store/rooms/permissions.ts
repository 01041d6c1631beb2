import { type Action, isPermitted, permissionOf } from 'chat-service-rules/permissions';
import { me } from '../../account/session.ts';
import { settings } from '../../service/settings.ts';
import type { MyRoom } from '../kept.ts';
import { aboutRoom } from './topics.ts';

type PermittedRoom = Pick<MyRoom, 'isDirect' | 'role'> & { id?: string };

/**
 * True if the user's role in a room permits an action. `asAdmin` also counts the rights of an
 * administrator, which are otherwise left to the administration.
 */
export const may = (room: PermittedRoom, action: Action, { asAdmin = false } = {}): boolean =>
  isPermitted(permissionOf(action, settings.invitations === 'members'), {
    role: room.role,
    isAdmin: asAdmin && me().is_admin,
    isDirect: room.isDirect,
    isArchived: room.id !== undefined && aboutRoom(room.id).details?.archived_at != null,
  });
