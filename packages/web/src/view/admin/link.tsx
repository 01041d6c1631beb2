import { laterStrings } from '../../i18n/strings-later.ts';
import { ask, chat } from '../../service/api.ts';
import { ShownOnce } from '../shared/shown-once.tsx';

/**
 * A link to set a new password. If the service does not know its address, this page's address is
 * used.
 */
export type Link = { link: string };

/** Creates a link for the owner of an account to set a new password. */
export async function makeLink(user: string): Promise<Link> {
  const { link, code } = await ask(chat.POST('/api/users/{user}/codes', { params: { path: { user } }, body: {} }));
  return { link: link ?? `${location.origin}/password#${code}` };
}

/** A link for a new password, to be passed on. */
export const ShownLink = ({ link }: Link) => (
  <div class="stack-wide">
    <p>{laterStrings.admin.people.linkHint}</p>
    <ShownOnce values={[[laterStrings.admin.people.link, link]]} />
  </div>
);
