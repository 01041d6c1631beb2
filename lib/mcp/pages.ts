import type { ObjectId } from 'mongodb';
import { SerialisedJson } from '../api/serialised-json.ts';
import type { Caller } from '../identity/caller.ts';
import { type HistoryQuery, historyParameters, readHistory } from '../messages/history.ts';
import type { Message } from '../messages/messages.ts';
import type { HistoryPage } from '../messages/newest-pages.ts';

const all = Object.fromEntries(Object.keys(historyParameters).map((name) => [name, undefined])) as HistoryQuery;

/** A query of history with the parameters that it has; the others are absent. */
export const historyQuery = (wanted: Partial<HistoryQuery>): HistoryQuery => ({ ...all, ...wanted });

/** Reads a page of a room's history, or of a thread. */
export const readPage = async (room: ObjectId, wanted: Partial<HistoryQuery>, limit: number, caller: Caller) =>
  withMessages(await readHistory(room, historyQuery(wanted), limit, caller));

/** A page whose messages are objects: the newest page of a room is kept as JSON. */
export const withMessages = ({ messages, next }: HistoryPage): { messages: Message[]; next: HistoryPage['next'] } => ({
  messages: parsed(messages),
  next,
});

/** A value of the API, which some functions keep as JSON. */
export const parsed = <T>(value: T | SerialisedJson<T>): T =>
  value instanceof SerialisedJson ? (JSON.parse(value.json) as T) : value;
