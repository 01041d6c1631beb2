import { setTimeout as sleep } from 'node:timers/promises';
import type { Document } from 'mongodb';
import { client } from './client.ts';
import { isUnknownCommand } from './failures.ts';

/**
 * The state of the embedded database's file, in sentences. A field is absent if nothing is wrong.
 */
export type FileState = {
  /** The damage. */
  damage?: string;
  /** The part of the log that the last start could not use. */
  dropped?: string;
  /** Set if the dropped part contained acknowledged writes. After a power cut, more may be lost. */
  isIncomplete?: true;
  /** The reason why writes are refused. */
  readOnly?: string;
  /** The progress of a backup or a check. */
  copying?: string;
  /** The size of the file and its log. */
  bytes?: number;
};

/**
 * Checks that the database answers, and reads the state of its file. For a database other than the
 * embedded one, the state is empty.
 */
export async function readFileState(): Promise<FileState> {
  if (isEmbedded) {
    const state = await askEmbedded({ fileId: 1 });
    if (state) return updateState(state);
    isEmbedded = false;
  }
  await client.db('admin').command({ ping: 1 });
  return {};
}

/**
 * Checks the next part of the embedded database's file, from a page on, against its checksums.
 * Returns the page to continue from (0 at the end) and the number of pages; undefined for another
 * database.
 */
export async function checkPages(from: number): Promise<{ next: number; pages: number; state: FileState } | undefined> {
  const answer = await askEmbedded({ checkPages: 1, from });
  return answer && { next: answer.next, pages: answer.pages, state: updateState(answer) };
}

/**
 * Checks the whole file against its checksums; undefined for a database other than the embedded
 * one.
 */
export async function checkAllPages(): Promise<FileState | undefined> {
  let part = await checkPages(0);
  while (part && part.next > 0) part = await checkPages(part.next);
  return part?.state;
}

/**
 * Clears the recorded damage and the dropped part of the log, because an operator has acknowledged
 * them. Returns the state before; undefined for another database.
 */
export async function acknowledgeDamage(): Promise<FileState | undefined> {
  const before = await askEmbedded({ acknowledgeDamage: 1 });
  return before && updateState(before);
}

/** Returns true if the database is the embedded one, according to the last `readFileState`. */
export const isEmbeddedDatabase = (): boolean => isEmbedded;

/** The last state that this process has read. */
export const lastFileState = (): FileState => last;

/**
 * Updates the last state, but waits for at most a second and ignores failures: for metrics, not for
 * decisions.
 */
export const refreshFileState = (): Promise<unknown> => Promise.race([readFileState().catch(() => undefined), sleep(1_000)]);

let isEmbedded = true;
let last: FileState = {};

function updateState({ damage, dropped, isIncomplete, readOnly, copying, bytes }: Document): FileState {
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

/**
 * The answer of the embedded database to one of its own commands; undefined for another database.
 */
export async function askEmbedded(command: Document): Promise<Document | undefined> {
  try {
    return await client.db('admin').command(command);
  } catch (error) {
    if (isUnknownCommand(error)) return undefined;
    throw error;
  }
}
