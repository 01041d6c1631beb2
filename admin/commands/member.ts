import { toObjectId } from '../../lib/api/extended-json.ts';
import { readParameters } from '../../lib/api/parameters.ts';
import { actOfAddition, actOnBan, actOnMember } from '../../lib/audit/acts-in-rooms.ts';
import { commandLine } from '../../lib/identity/caller.ts';
import { findUserId } from '../../lib/identity/users.ts';
import { liftBan, listBans } from '../../lib/members/bans.ts';
import { changeMember } from '../../lib/members/change.ts';
import { joinAs } from '../../lib/members/join.ts';
import { listMembers, memberRole } from '../../lib/members/members.ts';
import { removeMember } from '../../lib/members/remove.ts';
import { noSuchMember } from '../../lib/rooms/permissions.ts';
import { type Run, required } from '../command.ts';
import { everyItem } from '../every-item.ts';
import { table } from '../output.ts';
import { recorded } from '../recorded.ts';
import { readRoomId } from './room.ts';
import { readUsername } from './user.ts';

export const memberCommands: Record<string, Run> = {
  'member list': async ([room]) => {
    const id = readRoomId(room);
    const members = await everyItem((page) => listMembers(id, page, commandLine));
    const rows = members.map(({ username, role, joined_at }) => [username, role, joined_at.$date]);
    return { data: members, text: table(['USERNAME', 'ROLE', 'JOINED'], rows) };
  },
  'member add': async ([room, name], options) => {
    const role = readRole(options.role ?? 'member');
    const addition = { room: readRoomId(room), username: readUsername(name), role };
    const member = await recorded(await actOfAddition(addition, commandLine), () => joinAs(addition, commandLine));
    return { data: member, text: `${member.username} is a member of the room now, as ${role}.` };
  },
  'member role': async ([room, name], options) => {
    const role = readRole(required(options, 'role'));
    const member = await findMemberId(room, name);
    const acts = await actOnMember(member, 'member.role_changed', commandLine, { role });
    const changed = await recorded(acts, () => changeMember(member, { role }, commandLine));
    return { data: changed, text: `${changed.username} is ${role} of the room now.` };
  },
  'member remove': async ([room, name], options) => {
    const ban = options.ban === true;
    const member = await findMemberId(room, name);
    const acts = await actOnMember(member, 'member.removed', commandLine, { ban: String(ban) });
    await recorded(acts, () => removeMember(member, { ban }, commandLine));
    return { data: { room: { $oid: room }, username: name, banned: ban }, text: `Removed ${name}${ban ? ', for good' : ''}.` };
  },
  'ban list': async ([room]) => {
    const id = readRoomId(room);
    const bans = await everyItem((page) => listBans(id, page, commandLine));
    return {
      data: bans,
      text: table(
        ['USERNAME', 'ID'],
        bans.map(({ username, user }) => [username, user.$oid]),
      ),
    };
  },
  'ban lift': async ([room, name]) => {
    const [id, user] = [readRoomId(room), await findUserId(readUsername(name))];
    await recorded(await actOnBan(id, user, commandLine), () => liftBan(id, user, commandLine));
    return { data: { room: { $oid: room }, username: name }, text: `${name} can join the room again.` };
  },
};

const readRole = (word: unknown) => readParameters({ role: memberRole }, { role: word }).role;

async function findMemberId(room: string | undefined, name: string | undefined) {
  const id = readRoomId(room);
  const user = await findUserId(readUsername(name));
  const members = await everyItem((page) => listMembers(id, page, commandLine));
  const found = members.find((member) => member.user.$oid === user.toHexString());
  if (!found) throw noSuchMember();
  return toObjectId(found._id);
}
