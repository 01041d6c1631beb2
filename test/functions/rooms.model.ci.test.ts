import fc from 'fast-check';
import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { rooms } from '../../lib/collections/rooms/rooms.ts';
import { anAccount, anAdmin } from '../support/accounts.ts';
import { useConfig } from '../support/config.ts';
import { type Action, act, aModelRoom, type ModelRoom } from '../support/room-model.ts';
import { aRoom, everyPage, memberId } from '../support/rooms.ts';
import { inProcess } from '../support/transports.ts';

// Few enough for rooms to get full; set before the service reads its settings.
const mostMembers = 3;
useConfig({ ROOM_MEMBERS: String(mostMembers) });
// Random requests do not count as coverage: the next run may not make the same ones.
delete process.env.CONTRACT_COVERAGE_DIRECTORY;

// For more: MODEL_RUNS=300 MODEL_COMMANDS=50 npx vitest run test/functions/rooms.model.ci.test.ts
const runs = Number(process.env.MODEL_RUNS ?? 30);
const mostCommands = Number(process.env.MODEL_COMMANDS ?? 50);

const accounts = [await anAdmin(), ...(await Promise.all(Array.from({ length: 4 }, () => anAccount())))];
const accountOf = (user: number) => accounts[user] as (typeof accounts)[number];

/**
 * The rooms of one run, as they should be and as they are: their ids, and those of their members,
 * including former ones.
 */
type ExpectedState = { rooms: ModelRoom[] };
type Actual = { rooms: { id: string; memberIds: Map<number, string> }[] };

/** An action of a user in one of the rooms. */
class Step implements fc.AsyncCommand<ExpectedState, Actual> {
  readonly actor: number;
  readonly room: number;
  readonly action: Action;

  constructor(actor: number, room: number, action: Action) {
    this.actor = actor;
    this.room = room;
    this.action = action;
  }

  check = () => true;

  async run(expected: ExpectedState, actual: Actual): Promise<void> {
    const index = this.room % expected.rooms.length;
    const [room, created] = [expected.rooms[index], actual.rooms[index]];
    if (!room || !created) throw new Error('there is always a room');
    const status = act(room, this.actor, this.action, mostMembers);
    const { method, path, body } = callFor(this.action, created);
    const reply = await inProcess(method, path, { token: accountOf(this.actor).token, body });
    expect({ status: reply.status, body: reply.body }).toMatchObject({ status });
    if (this.action.does === 'add' && status === 201) {
      created.memberIds.set(this.action.target, (reply.body as { _id: { $oid: string } })._id.$oid);
    }
    if (status < 300) await expectMatch(room, created);
  }

  toString = () => `user ${this.actor} in room ${this.room}: ${JSON.stringify(this.action)}`;
}

/** Steps that belong together, because each depends on the one before. */
class Steps implements fc.AsyncCommand<ExpectedState, Actual> {
  readonly steps: Step[];

  constructor(steps: Step[]) {
    this.steps = steps;
  }

  check = () => true;

  async run(expected: ExpectedState, actual: Actual): Promise<void> {
    for (const step of this.steps) await step.run(expected, actual);
  }

  toString = () => this.steps.join(', then ');
}

/** The admin creates another room. */
class Create implements fc.AsyncCommand<ExpectedState, Actual> {
  check = () => true;

  async run(expected: ExpectedState, actual: Actual): Promise<void> {
    const body = { name: `Room ${expected.rooms.length}` };
    const reply = await inProcess('POST', '/api/rooms', { token: accountOf(0).token, body });
    expect(reply).toMatchObject({ status: 201, body });
    expected.rooms.push(aModelRoom(body.name, 0));
    actual.rooms.push(await actualRoom((reply.body as { _id: { $oid: string } })._id.$oid, 0));
  }

  toString = () => 'the admin creates a room';
}

const user = fc.nat({ max: accounts.length - 1 });
const role = fc.constantFrom('member', 'moderator', 'owner');
// Biased towards rooms in which most actions are allowed.
const yes = fc.constantFrom(true, true, true, false);
const no = fc.constantFrom(false, false, true);
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ does: fc.constantFrom('read', 'read details') }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('archive'), archived: no }) },
  { weight: 5, arbitrary: fc.record({ does: fc.constant('add'), target: user, role }) },
  { weight: 6, arbitrary: fc.record({ does: fc.constant('remove'), target: user, ban: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('change role'), target: user, role }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('unban'), target: user }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('change'), change: fc.record({ is_open: yes, is_visible: yes }) }) },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constant('change'), change: fc.record({ name: fc.constantFrom('One', 'Two') }) }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('delete') }) },
);
const room = fc.nat({ max: 1 });
const step = fc.record({ user, room, action }).map(({ user, room, action }) => new Step(user, room, action));
const joining = fc
  .record({ user, room })
  .map(({ user, room }) => new Step(user, room, { does: 'add', target: user, role: 'member' }));
const leaving = fc
  .record({ user, room })
  .map(({ user, room }) => new Step(user, room, { does: 'remove', target: user, ban: false }));

const banning = fc.record({ actor: fc.constantFrom(0, 1), user, room }).map(({ actor, user: target, room: at }) => {
  return new Steps([
    new Step(actor, at, { does: 'add', target, role: 'member' }),
    new Step(actor, at, { does: 'remove', target, ban: true }),
    new Step(target, at, { does: 'add', target, role: 'member' }),
  ]);
});

describe('rooms and their members', () => {
  it('rooms and their members match a model in memory after any actions of any users', { timeout: 3_600_000 }, async () => {
    const kinds = [step, step, step, step, step, joining, joining, leaving, banning, fc.constant(new Create())];
    const commands = fc.commands(kinds, { maxCommands: mostCommands, size: 'max' });
    const property = fc.asyncProperty(commands, async (steps) => {
      const actual: Actual = { rooms: [] };
      const setup = async () => {
        const created = await aRoom({ name: 'First', owner: accountOf(1) });
        actual.rooms.push(await actualRoom(created.id, 1));
        return { model: { rooms: [aModelRoom('First', 1)] }, real: actual };
      };
      await fc.asyncModelRun(setup, steps).finally(() => deleteRooms(actual));
    });
    await fc.assert(property, { numRuns: runs });
  });
});

const deleteRooms = ({ rooms: created }: Actual) => rooms.deleteMany({ _id: { $in: created.map(({ id }) => new ObjectId(id)) } });

function callFor(action: Action, { id, memberIds }: Actual['rooms'][number]): { method: string; path: string; body?: object } {
  const path = `/api/rooms/${id}`;
  const member = `/api/members/${('target' in action && memberIds.get(action.target)) || '0'.repeat(24)}`;
  switch (action.does) {
    case 'read':
      return { method: 'GET', path };
    case 'read details':
      return { method: 'GET', path: `${path}/details` };
    case 'delete':
      return { method: 'DELETE', path };
    case 'change':
      return { method: 'PATCH', path, body: action.change };
    case 'archive':
      return { method: 'PATCH', path: `${path}/details`, body: { archived: action.archived } };
    case 'add':
      return { method: 'POST', path: '/api/members', body: { room: id, user: accountOf(action.target).id, role: action.role } };
    case 'remove':
      return { method: 'DELETE', path: `${member}?ban=${action.ban}` };
    case 'change role':
      return { method: 'PATCH', path: member, body: { role: action.role } };
    case 'unban':
      return { method: 'DELETE', path: `/api/bans?room=${id}&user=${accountOf(action.target).id}` };
  }
}

async function actualRoom(id: string, owner: number): Promise<Actual['rooms'][number]> {
  const ownersId = await memberId({ id, path: `/api/rooms/${id}`, owner: accountOf(owner) }, accountOf(owner));
  return { id, memberIds: new Map([[owner, ownersId]]) };
}

/** The room, as an admin sees it, matches the model. */
async function expectMatch(model: ModelRoom, { id }: { id: string }): Promise<void> {
  const { token } = accountOf(0);
  const [shown, details] = await Promise.all([
    inProcess('GET', `/api/rooms/${id}`, { token }),
    inProcess('GET', `/api/rooms/${id}/details`, { token }),
  ]);
  if (model.deleted) {
    expect([shown.status, details.status]).toEqual([404, 404]);
    return;
  }
  const { name, is_open, is_visible, archived, members } = model;
  expect(shown.body).toMatchObject({ name, is_open, is_visible });
  expect((details.body as { archived_at: unknown }).archived_at !== null).toBe(archived);
  const rows = await everyPage(inProcess, `/api/members?room=${id}&limit=2`, token);
  const roles = rows.map((row) => [row.user.$oid, (row as unknown as { role: string }).role]);
  expect(roles.toSorted()).toEqual([...members].map(([who, has]) => [accountOf(who).id, has]).toSorted());
}
