import { type TarEntry, tarGzOf } from './tar.ts';

/** The data of an organisation: its tables, its messages, and its files by path. */
export type ZulipExport = {
  people?: unknown[];
  dummies?: unknown[];
  systemBots?: unknown[];
  streams?: unknown[];
  recipients?: unknown[];
  subscriptions?: unknown[];
  reactions?: unknown[];
  messages?: unknown[];
  files?: Record<string, string | Uint8Array>;
};

/** The number of messages per file. Zulip's is larger; here there are several files. */
const messagesInFile = 3;

/** The files of an organisation's export, in Zulip's format. */
export function zulipEntries({ messages = [], files = {}, ...lists }: ZulipExport): TarEntry[] {
  const realm = {
    zerver_realm: [{ id: 2, string_id: 'example', name: 'Example' }],
    zerver_client: [{ id: 1, name: 'website' }],
    zerver_userprofile: lists.people ?? [],
    zerver_userprofile_mirrordummy: lists.dummies ?? [],
    zerver_userprofile_crossrealm: lists.systemBots ?? [],
    zerver_stream: lists.streams ?? [],
    zerver_recipient: lists.recipients ?? [],
    zerver_subscription: lists.subscriptions ?? [],
    zerver_reaction: lists.reactions ?? [],
    sort_by_date: true,
  };
  const pages = Array.from({ length: Math.ceil(messages.length / messagesInFile) }, (_, page) => ({
    zerver_message: messages.slice(page * messagesInFile, (page + 1) * messagesInFile),
    zerver_usermessage: [{ id: 1, user_profile: 11, message: 1, flags_mask: 1 }],
  }));
  const entries = [
    { name: 'realm.json', bytes: JSON.stringify(realm, null, 4) },
    ...pages.map((page, index) => ({
      name: `messages-${String(index + 1).padStart(6, '0')}.json`,
      bytes: JSON.stringify(page, null, 4),
    })),
    { name: 'attachment.json', bytes: '{"zerver_attachment": []}' },
    { name: 'avatars/records.json', bytes: '[]' },
    ...Object.entries(files).map(([path, bytes]) => ({ name: `uploads/${path}`, bytes })),
  ];
  return entries.map((entry) => ({ ...entry, name: `zulip-export-abc/${entry.name}` }));
}

export const zulipArchive = (exported: ZulipExport): Buffer => tarGzOf(zulipEntries(exported));

export const zulipUser = (id: number, name: string, more: object = {}) => ({
  id,
  email: `user${id}@zulip.example.com`,
  delivery_email: `${name.toLowerCase()}@example.com`,
  full_name: name,
  is_active: true,
  is_bot: false,
  is_mirror_dummy: false,
  ...more,
});

/** A message to a recipient; its time is this many seconds after the beginning of 2020. */
export const zulipMessage = (sender: number, recipient: number, second: number, content: string, more: object = {}) => ({
  id: 1_000 + second,
  sender,
  recipient,
  subject: 'greetings',
  content,
  rendered_content: `<p>${content}</p>`,
  date_sent: 1_577_836_800.25 + second,
  last_edit_time: null,
  edit_history: null,
  type: 1,
  ...more,
});
