import { setTimeout as sleep } from 'node:timers/promises';
import type { Document } from 'mongodb';
import { client } from './client.ts';
import { isUnknownCommand } from './failures.ts';

/** The state of the embedded database's file, as sentences; each is missing if nothing is wrong. */
export type FileState = {
  /** The damage. */
  damage?: string;
  /** The part of the log that a start could not use. */
  dropped?: string;
  /** Whether writes that were acknowledged are lost with it. After a power cut, others may be. */
  isIncomplete?: true;
  /** Why nothing can be written. */
  readOnly?: string;
  /** How far a backup or a check is. */
  copying?: string;
  /** The size of the file and its log. */
  bytes?: number;
};

/**
 * Asks the database for a sign of life, and what it knows of its file; another database than the embedded one has
 * nothing to tell.
 */
export async function readFileState(): Promise<FileState> {
  if (isEmbedded) {
    const state = await askEmbedded({ fileId: 1 });
    if (state) return note(state);
    isEmbedded = false;
  }
  await client.db('admin').command({ ping: 1 });
  return {};
}

/**
 * Compares the next part of the embedded database's file, after a page, with its checksums. Returns the page to go on
 * from, 0 at the end, and the number of pages; undefined for another database.
 */
export async function checkPages(from: number): Promise<{ next: number; pages: number; state: FileState } | undefined> {
  const answer = await askEmbedded({ checkPages: 1, from });
  return answer && { next: answer.next, pages: answer.pages, state: note(answer) };
}

/** Compares the whole file with its checksums; undefined for another database than the embedded one. */
export async function checkAllPages(): Promise<FileState | undefined> {
  let part = await checkPages(0);
  while (part && part.next > 0) part = await checkPages(part.next);
  return part?.state;
}

/**
 * Forgets what a start had to leave out of the log, and the damage that reading met, because an operator knows of it. Returns the state before;
 * undefined for another database.
 */
export async function acknowledgeDamage(): Promise<FileState | undefined> {
  const before = await askEmbedded({ acknowledgeDamage: 1 });
  return before && note(before);
}

/** Whether the database is the embedded one, as far as `readFileState` has asked. */
export const isEmbeddedDatabase = (): boolean => isEmbedded;

/** The state that this process has heard last. */
export const lastFileState = (): FileState => last;

/** Asks, but waits no longer than a second, and not for an answer: for those who count and not for those who depend on it. */
export const refreshFileState = (): Promise<unknown> => Promise.race([readFileState().catch(() => undefined), sleep(1_000)]);

let isEmbedded = true;
let last: FileState = {};

function note({ damage, dropped, isIncomplete, readOnly, copying, bytes }: Document): FileState {
  last = {
    ...(damage && { damage }),
    ...(dropped && { dropped }),
    ...(isIncomplete && { isIncomplete }),
    ...(readOnly && { readOnly }),
    ...(copying && { copying }),
    ...(bytes && { bytes }),
  };
  return last;
}

/** The answer of the embedded database to a command of its own; undefined for another database. */
export async function askEmbedded(command: Document): Promise<Document | undefined> {
  try {
    return await client.db('admin').command(command);
  } catch (error) {
    if (isUnknownCommand(error)) return undefined;
    throw error;
  }
}
