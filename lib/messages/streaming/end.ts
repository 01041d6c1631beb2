import type { ObjectId } from 'mongodb';
import { HttpError } from '../../base/errors.ts';
import { describeError, log } from '../../base/log.ts';
import { messages } from '../../collections/rooms/messages.ts';
import { type Caller, commandLine } from '../../identity/caller.ts';
import { changeText } from '../edit.ts';
import { type Message, requireContent } from '../messages.ts';
import { isStreaming } from './start.ts';

/** The milliseconds without a stored chunk after which a stream is interrupted. */
const silenceMs = 60_000;

/** The longest time of a stream, in milliseconds. */
const longestMs = 30 * 60_000;

/** The most streams that are interrupted in one run. The next run continues. */
const mostAtOnce = 500;

/** The complete text. A stream that is silent also has the time of its last write. */
type StreamEnd = { text: string; caller: Caller; silentSince?: Date };

/**
 * Ends a stream with its complete text. From now on, the message is found and mentions its readers,
 * and one event reports it. Returns undefined if the stream has ended meanwhile, or is not silent.
 */
export async function endStream(id: ObjectId, { text, caller, silentSince }: StreamEnd): Promise<Message | undefined> {
  let isOver = false;
  const ended = await changeText(id, text, caller, {
    action: 'endStream',
    type: 'message.completed',
    where: silentSince ? { 'streaming.stored_at': silentSince } : isStreaming,
    isWanted: ({ streaming, files }) => {
      isOver = !streaming || (silentSince !== undefined && streaming.stored_at.getTime() !== silentSince.getTime());
      if (!isOver && !silentSince) requireContent(text, files);
      return !isOver;
    },
    update: () => ({ $set: { streamed: silentSince ? 'interrupted' : 'complete' }, $unset: { streaming: '' } }),
  });
  return isOver ? undefined : ended;
}

/** Interrupts the streams without a chunk for a minute, and those that last too long. */
export async function interruptStreams(): Promise<number> {
  const before = (milliseconds: number) => ({ $add: ['$$NOW', -milliseconds] });
  const isDue = [
    { $lte: ['$streaming.stored_at', before(silenceMs)] },
    { $lte: ['$created_at', before(longestMs)] },
    // Written while a clock was ahead.
    { $gte: ['$streaming.stored_at', before(-silenceMs)] },
  ];
  const due = await messages
    .aggregate<{ _id: ObjectId; text: string; streaming: { stored_at: Date } }>(isStreaming, [
      { $match: { $expr: { $or: isDue } } },
      { $limit: mostAtOnce },
      { $project: { text: 1, streaming: 1 } },
    ])
    .toArray();
  let count = 0;
  for (const { _id, text, streaming } of due)
    try {
      if (await endStream(_id, { text, caller: commandLine, silentSince: streaming.stored_at })) count++;
    } catch (error) {
      // Its room is being deleted, so nobody can read the message.
      if (error instanceof HttpError && error.status === 404) await interruptWhere({ _id });
      else log('error', 'a stream was not interrupted', { message: _id.toHexString(), error: describeError(error) });
    }
  if (count > 0) log('info', 'streams interrupted', { messages: count });
  return count;
}

/** Interrupts the streams of an imported database, which their authors do not continue here. */
export const interruptImported = (): Promise<void> => interruptWhere({});

/** Interrupts streams without an event. */
const interruptWhere = async (filter: { _id?: ObjectId }): Promise<void> =>
  void (await messages.unscoped.updateMany(
    { ...filter, ...isStreaming },
    { $set: { streamed: 'interrupted' }, $unset: { streaming: '' } },
  ));
