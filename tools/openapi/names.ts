import type { JsonSchema } from '../../lib/api/schema.ts';

/** The parts of the API as a reader finds them, and which paths belong to each: by the segment behind `/api`. */
export const tags = [
  { name: 'Rooms', description: 'Where people talk, and what there is to know of each.', segments: ['rooms', 'directory'] },
  { name: 'Members', description: 'Who is in which room, as what, and how far each has read.', segments: ['members', 'bans'] },
  { name: 'Messages', description: 'What is said: sending, finding, editing, pinning, reacting.', segments: ['messages'] },
  { name: 'Events', description: 'Everything that happens in a room, in order, without a gap.', segments: ['events'] },
  { name: 'Accounts', description: 'Users, their sessions and their named tokens.', segments: ['users', 'sessions', 'tokens'] },
  { name: 'Service', description: 'The service itself.', segments: ['health', 'openapi.json', 'docs'] },
];

/** The part of the API that a path belongs to. */
export function tagOf(path: string): string {
  const segment = segmentsOf(path)[0] ?? '';
  const tag = tags.find(({ segments }) => segments.includes(segment));
  if (!tag) throw new Error(`tools/openapi/names.ts has no tag for ${path}`);
  return tag.name;
}

/** A name for an operation, made of its method and path: `GET /api/rooms/{room}/details` is `getRoomDetails`. */
export function operationId(method: string, path: string): string {
  const segments = segmentsOf(path);
  const words = segments.flatMap((segment, at) => {
    if (segment.startsWith('{')) return [];
    const isOne = segments[at + 1]?.startsWith('{');
    return (isOne ? segment.replace(/s$/, '') : segment).split(/[^a-z]/).map((word) => word[0]?.toUpperCase() + word.slice(1));
  });
  return `${method.toLowerCase()}${words.join('')}`;
}

/** The variable parts of a path, in their order. */
export const variablesOf = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);

/** What a variable part of a path may be. */
export function variableSchema(name: string): JsonSchema {
  const schema = variables[name];
  if (!schema) throw new Error(`tools/openapi/names.ts does not know what {${name}} is`);
  return schema;
}

const id = { type: 'string', pattern: '^[0-9a-fA-F]{24}$' };
const idOr = (word: string) => ({ anyOf: [{ const: word }, id] });
const variables: Record<string, JsonSchema> = {
  room: id,
  member: id,
  message: id,
  token: id,
  user: idOr('me'),
  session: idOr('current'),
  emoji: { type: 'string', minLength: 1 },
};

const segmentsOf = (path: string) => path.split('/').filter((segment) => segment !== '' && segment !== 'api');
