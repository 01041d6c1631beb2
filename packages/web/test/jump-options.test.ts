import { describe, expect, it } from 'vitest';
import type { MyRoom } from '../src/store/kept.ts';
import { type Command, type Option, optionsFor } from '../src/view/sidebar/jump-options.ts';

const room = (id: string, name: string, more: Partial<MyRoom> = {}): MyRoom => ({
  id,
  member: id,
  name,
  avatar: undefined,
  isOpen: true,
  isDirect: false,
  role: 'member',
  seq: 1,
  lastRead: 1,
  unread: 0,
  mentions: 0,
  threads: 0,
  isMuted: false,
  isFavourite: false,
  people: [],
  order: 0,
  ...more,
});

const kenji = { id: 'k', username: 'kenji', name: 'Kenji Tanaka' };
const hanna = { id: 'h', username: 'hanna', name: 'Hanna Vogel' };
const rooms = [room('1', 'Engineering'), room('2', 'Design'), room('3', 'Kenji Tanaka', { isDirect: true, people: [kenji] })];
const act = () => {};
const sources = {
  rooms,
  recent: ['3', '2'],
  current: '1',
  people: [] as (typeof hanna)[],
  others: [] as { id: string; name: string; isOpen: boolean }[],
  commands: [
    { label: 'New message', icon: 'edit' as const, act },
    { label: 'My account', icon: 'user' as const, words: 'Settings', act },
  ],
};

const shown = (typed: string, more: Partial<typeof sources> = {}) =>
  Object.fromEntries(optionsFor(typed, { ...sources, ...more }).map(({ name, options }) => [name, options.map(nameOf)]));

const nameOf = (option: Option<Command>): string =>
  option.kind === 'room' || option.kind === 'other'
    ? option.room.name
    : option.kind === 'person'
      ? option.person.username
      : option.kind === 'command'
        ? option.command.label
        : `search ${option.words}`;

describe('search or jump to', () => {
  it('offers the rooms that were opened last and commands before anything is typed, without the open room', () => {
    expect(shown('')).toEqual({ recent: ['Kenji Tanaka', 'Design'], commands: ['New message', 'My account'] });
  });

  it('finds a person who shares a room with the user though there is no conversation yet', () => {
    expect(shown('han', { people: [hanna] })).toEqual({ people: ['hanna'], search: ['search han'] });
  });

  it('shows a person once: as the conversation if there is one', () => {
    expect(shown('kenji', { people: [kenji] })).toEqual({ rooms: ['Kenji Tanaka'], search: ['search kenji'] });
  });

  it('finds rooms that the user is not in after the own ones, and none twice', () => {
    const others = [
      { id: '2', name: 'Design', isOpen: true },
      { id: '9', name: 'Design reviews', isOpen: true },
    ];
    expect(shown('design', { others })).toEqual({ rooms: ['Design'], others: ['Design reviews'], search: ['search design'] });
  });

  it('finds commands by their label and by other words', () => {
    expect(shown('settings')).toEqual({ commands: ['My account'], search: ['search settings'] });
  });

  it('lists what begins as typed first', () => {
    const all = [room('1', 'The engine'), room('2', 'Engineering')];
    expect(shown('engin', { rooms: all }).rooms).toEqual(['Engineering', 'The engine']);
  });

  it('always offers to search messages, as the last one', () => {
    expect(Object.keys(shown('e', { people: [hanna] })).at(-1)).toBe('search');
  });
});
