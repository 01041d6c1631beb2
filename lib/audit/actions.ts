/**
 * Every action that the audit trail records, with what it says: the one table from which the API's schema, the list in
 * docs/audit.md and the filter of the page are made. What administrators do is recorded where their right to do it is that
 * of an administrator, not where any member or owner might have done the same.
 */
export const auditActions = {
  'user.created': 'An account was created for somebody, or the first administrator by the link for that.',
  'user.promoted': 'An account was made an administrator, also by a group of the identity provider.',
  'user.demoted': 'An administrator was made an ordinary user.',
  'user.deactivated': 'An account was deactivated.',
  'user.activated': 'A deactivated account was activated again.',
  'user.deleted': 'An account was deleted.',
  'user.email_changed': "Another's e-mail address was changed.",
  'user.password_changed': "Another's password was changed.",
  'user.profile_changed': "Another's name, status, picture or notifications were changed.",
  'user.code_created': "A code, and link, for another's new password was created.",
  'user.sessions_ended': "One or all of another's sessions were ended.",
  'user.second_factor_reset': "Another's second factor was turned off, and the passkeys were removed.",
  'user.limits_lifted': 'What the limits had counted against an account was forgotten.',
  'user.rate_changed': 'The rate at which an account may write was changed.',
  'user.held': 'An account keeps all its messages from then on, however old.',
  'user.released': 'Messages of an account are deleted by their age again.',
  'user.exported': 'What the service has of an account was exported by a command.',
  'user.disconnected': 'An account was parted from its person at the identity provider.',
  'bot.created': 'A bot was created by an administrator.',
  'bot.changed': 'A bot of another, or its owner, was changed by an administrator.',
  'bot.deleted': 'A bot of another was deleted by an administrator.',
  'token.created': 'A named token was created for another.',
  'token.revoked': "Another's named token was revoked.",
  'room.created': 'A room was created by a command.',
  'room.read': 'Messages of a room that others may not join were read by an administrator who is not a member; once a day.',
  'room.changed': 'A room was changed by an administrator who is not its owner.',
  'room.archived': 'A room was archived by an administrator who is not its owner.',
  'room.unarchived': 'The archiving of a room was ended by an administrator who is not its owner.',
  'room.held': 'A room keeps all its messages from then on, however old.',
  'room.released': 'Messages of a room are deleted by their age again.',
  'room.exported': 'A room, or a time of it, was exported by a command.',
  'room.deleted': 'A room was deleted.',
  'member.added': 'Somebody was made a member by an administrator who is not a moderator of the room.',
  'member.role_changed': 'The role of a member was changed by an administrator who is not an owner of the room.',
  'member.removed': 'A member was removed by an administrator who is not a moderator of the room.',
  'ban.lifted': 'A ban was lifted by an administrator who is not a moderator of the room.',
  'invitation.created': 'An invitation was created by an administrator who is not a moderator of the room.',
  'invitation.mailed': 'An invitation was sent to an e-mail address by an administrator who is not a moderator of the room.',
  'invitation.revoked': 'An invitation was revoked by an administrator who is not a moderator of the room.',
  'webhook.created': 'A webhook was created by an administrator who is not a moderator of the room.',
  'webhook.changed': 'A webhook was changed by an administrator who is not a moderator of the room.',
  'webhook.revoked': 'A webhook was revoked by an administrator who is not a moderator of the room.',
  'data.exported': 'Everything was exported by a command.',
  'data.imported': 'An export was imported by a command.',
  'data.backed_up': 'The database was copied by a command.',
  'data.restored': 'Clients were told that the database was restored from a backup.',
  'data.converted': 'People, rooms and messages of another chat were imported.',
  'data.conversion_undone': 'An import of another chat was undone.',
  'data.links_created': 'Links were created, or sent, by which the people of an import get their accounts.',
  'push_key.exported': 'The key of push notifications was printed by a command.',
  'push_key.rotated': 'Another key of push notifications was made by a command.',
  'audit.exported': 'The audit trail was exported by a command.',
} as const satisfies Record<string, string>;

export type AuditAction = keyof typeof auditActions;

/** The actions as a list, for schemas and parameters. */
export const auditActionNames = Object.keys(auditActions) as AuditAction[];
