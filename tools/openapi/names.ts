/** The sections of the API, and the paths of each by the segment after `/api`. */
export const tags = [
  {
    name: 'Rooms',
    description: 'Rooms, their details, the directory and direct conversations.',
    segments: ['rooms', 'directory', 'conversations'],
  },
  {
    name: 'Members',
    description: 'The members of rooms, their roles and read markers, bans and blocks.',
    segments: ['members', 'invitations', 'bans', 'blocks'],
  },
  {
    name: 'Messages',
    description: 'Sending, finding, editing, pinning, saving and reacting to messages, and their threads.',
    segments: ['messages', 'threads', 'saved', 'webhooks'],
  },
  {
    name: 'Files',
    description: 'Files and pictures: announce, upload, send with a message, and read.',
    segments: ['files'],
  },
  {
    name: 'Events',
    description: 'All events of a room, in order and without gaps; notifications, and pushes to devices.',
    segments: ['events', 'tickets', 'notifications', 'push-subscription', 'email-digest'],
  },
  {
    name: 'Accounts',
    description: 'Users, their sessions and their named tokens.',
    segments: [
      'users',
      'bots',
      'sessions',
      'tokens',
      'codes',
      'password',
      'second-factor',
      'passkeys',
      'passkey-sessions',
      'setup',
      'oidc',
      'oauth',
      '.well-known',
    ],
  },
  {
    name: 'Service',
    description: 'The service itself.',
    segments: ['health', 'mcp', 'audit', 'settings', 'overview', 'openapi.json', 'asyncapi.json', 'docs'],
  },
];

/** The section of a path. */
export function tagOf(path: string): string {
  const segment = segmentsOf(path)[0] ?? '';
  const tag = tags.find(({ segments }) => segments.includes(segment));
  if (!tag) throw new Error(`tools/openapi/names.ts lacks a tag for ${path}`);
  return tag.name;
}

/**
 * The name of an operation, derived from its method and path: `GET /api/rooms/{room}/details` is
 * `getRoomDetails`.
 */
export function operationId(method: string, path: string): string {
  const segments = segmentsOf(path);
  const words = segments.flatMap((segment, at) => {
    if (segment.startsWith('{')) return [];
    const isOne = segments[at + 1]?.startsWith('{');
    return (isOne ? segment.replace(/s$/, '') : segment)
      .split(/[^a-z]+/)
      .filter(Boolean)
      .map((word) => word[0]?.toUpperCase() + word.slice(1));
  });
  return `${method.toLowerCase()}${words.join('')}`;
}

const segmentsOf = (path: string) => path.split('/').filter((segment) => segment !== '' && segment !== 'api');
