import type { Role } from 'chat-service-rules/permissions';
import type { ObjectId } from 'mongodb';

/** The looks of a button. */
export const actionStyles = ['default', 'primary', 'danger'] as const;

/** How many presses a question takes: the first one, or one from each person. */
export const answerRules = ['one', 'one_each'] as const;

/** A button below a message, or an option of its select. It never changes. */
export type ActionDocument = {
  /** Chosen by the sender, and unique in its message. */
  id: string;
  label: string;
  style: (typeof actionStyles)[number];
  /** The people who may press it: members with at least this role, or these users. */
  who: Role | ObjectId[];
  /** A question that the presser confirms first. */
  confirm?: string;
};

/** The press of an action. It never changes, and goes only with its message. */
export type PressDocument = { user: ObjectId; action: string; at: Date };

/** The buttons or the select of a message, and their presses, the first one first. */
export type QuestionDocument = {
  actions: ActionDocument[];
  /** The actions are options of one select. */
  is_select?: true;
  answers: (typeof answerRules)[number];
  expires_at?: Date;
  /** Each press is an entry of the audit log, and the text is final after the first one. */
  is_approval?: true;
  /** The version of the message's text, from 1: a press says which one was read. */
  version: number;
  presses: PressDocument[];
};
