import { isObject } from 'chat-service-rules/objects';
import { type Role, roles } from 'chat-service-rules/permissions';
import type { ObjectId } from 'mongodb';
import { id, nameText, oneOf, type Parameter, text } from '../../api/parameters.ts';
import { described, eitherOf, type JsonSchema, listOf } from '../../api/schema.ts';
import { type ActionDocument, actionStyles } from '../../collections/rooms/questions.ts';
import { username } from '../../identity/account-names.ts';

/** An action as its sender describes it: people may be named by their usernames. */
export type SentAction = Omit<ActionDocument, 'who'> & { who: Role | (ObjectId | string)[] };

/** The most actions of a message, as buttons and as options of a select. */
export const mostButtons = 10;
export const mostOptions = 100;

const mostUsers = 50;

/** The most bytes of all actions of a message, as JSON. */
const mostBytes = 16_384;

const idPattern = /^[A-Za-z0-9_-]{1,64}$/;

/** The id of an action, in a path and in a message. */
export const actionId: Parameter<string> = {
  read: (sent) => (typeof sent === 'string' && idPattern.test(sent) ? sent : undefined),
  rule: 'be 1 to 64 letters, digits, underscores or hyphens',
  schema: { type: 'string', pattern: idPattern.source },
};

const people: Parameter<(ObjectId | string)[]> = {
  read: (sent) => {
    if (!Array.isArray(sent) || sent.length === 0 || sent.length > mostUsers) return undefined;
    const read = sent.map((one) => id.read(one) ?? username.read(one));
    return read.every((one) => one !== undefined) ? read : undefined;
  },
  rule: `be a list of 1 to ${mostUsers} ids or usernames`,
  schema: { ...listOf(eitherOf(id.bodySchema ?? id.schema, username.schema)), minItems: 1, maxItems: mostUsers },
};

const role = oneOf(...roles);

const who: Parameter<Role | (ObjectId | string)[]> = {
  read: (sent) => role.read(sent) ?? people.read(sent),
  rule: `${role.rule}, or ${people.rule.replace(/^be /, '')}`,
  schema: eitherOf(role.schema, people.schema),
};

const label = nameText(1, 75);
const style = oneOf(...actionStyles);
const confirm = text(1, 300);

const fields: Record<string, { parameter: Parameter; about: string; isOptional?: true }> = {
  id: { parameter: actionId, about: 'The id, unique in the message.' },
  label: { parameter: label, about: 'The words on the button.' },
  style: { parameter: style, about: 'The look, `default` if omitted.', isOptional: true },
  who: {
    parameter: who,
    about: 'The people who may press it: members with at least this role, or these users; `member` if omitted.',
    isOptional: true,
  },
  confirm: { parameter: confirm, about: 'A question that the page asks before the press.', isOptional: true },
};

const schema: JsonSchema = {
  type: 'array',
  minItems: 1,
  maxItems: mostOptions,
  items: {
    title: 'SentAction',
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(fields).map(([name, { parameter, about }]) => [name, described(about, parameter.schema)]),
    ),
    required: ['id', 'label'],
    additionalProperties: false,
  },
};

/** The actions of a message that is sent. */
export const actionsParameter: Parameter<SentAction[]> = {
  read: (sent) => {
    const read = readActions(sent);
    return typeof read === 'string' ? undefined : read;
  },
  fault: (sent) => {
    const read = readActions(sent);
    return typeof read === 'string' ? read : undefined;
  },
  about: `The buttons below the message, or the options of its select. Only bots and agents can send them. At most ${mostBytes / 1024} kB.`,
  rule: `be a list of 1 to ${mostButtons} buttons, or of 1 to ${mostOptions} options of a select`,
  schema,
};

/**
 * Reads a list of actions. Otherwise returns the broken rule, which completes "The 'actions'
 * parameter must ...".
 */
function readActions(sent: unknown): SentAction[] | string {
  if (!Array.isArray(sent) || sent.length === 0 || sent.length > mostOptions) return actionsParameter.rule;
  const actions: SentAction[] = [];
  for (const [at, one] of sent.entries()) {
    const read = readAction(one, `action ${at + 1}`);
    if (typeof read === 'string') return read;
    actions.push(read);
  }
  if (new Set(actions.map(({ id }) => id)).size < actions.length) return 'have a different id in each action';
  const bytes = Buffer.byteLength(JSON.stringify(actions));
  return bytes > mostBytes ? `have at most ${mostBytes} bytes` : actions;
}

function readAction(sent: unknown, which: string): SentAction | string {
  if (!isObject(sent)) return `be a list of objects, also for ${which}`;
  const unknown = Object.keys(sent).find((name) => !Object.hasOwn(fields, name));
  if (unknown !== undefined) return `have only the fields ${Object.keys(fields).join(', ')} in ${which}`;
  const values: Record<string, unknown> = { style: 'default', who: 'member' };
  for (const [name, { parameter, isOptional }] of Object.entries(fields)) {
    if (sent[name] === undefined) {
      if (isOptional) continue;
      return `have '${name}' in ${which}`;
    }
    const value = parameter.fault?.(sent[name]) === undefined ? parameter.read(sent[name]) : undefined;
    if (value === undefined) return `have a valid '${name}' in ${which}: it must ${parameter.rule}`;
    values[name] = value;
  }
  return values as SentAction;
}
