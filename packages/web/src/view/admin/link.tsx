import { laterStrings } from '../../i18n/strings-later.ts';
import { ask, chat } from '../../service/api.ts';
import { ShownOnce } from '../shared/shown-once.tsx';

/** By which somebody sets a new password; without the address of the service, by this page's. */
export type Link = { link: string };

/** Makes a link by which the owner of an account sets a new password. */
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
