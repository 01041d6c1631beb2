import type { AnyTool } from '../tool.ts';
import { ask, readAnswer } from './asking.ts';
import { catchUp } from './catch-up.ts';
import { readFile } from './files.ts';
import { findPeople, getPerson } from './people.ts';
import { readMessages, readThread, searchMessages } from './reading.ts';
import { listRooms, markRead } from './rooms.ts';
import { deleteMessage, editMessage, react, remindMe, sendMessage } from './writing.ts';

/** All tools, in the order in which clients list them. */
export const tools: readonly AnyTool[] = [
  listRooms,
  catchUp,
  readMessages,
  readThread,
  searchMessages,
  findPeople,
  getPerson,
  readFile,
  sendMessage,
  editMessage,
  deleteMessage,
  react,
  markRead,
  remindMe,
  ask,
  readAnswer,
];
