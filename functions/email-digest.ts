import { digestLink, digestLinkRefusals, endDigests, requireDigestLink } from '../lib/accounts/digest-links.ts';
import { PageAnswer } from '../lib/http/answers.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { askPage, endedPage } from '../lib/reference/digest-pages.ts';

/**
 * `/api/email-digest/{link}`: turns off the receiver's e-mails about unread messages. The link in
 * each e-mail needs no sign-in.
 */
export const handler = endpoint({
  GET: operation({
    summary: 'Show a page with a button that turns off e-mails about unread messages; changes nothing',
    access: 'anyone',
    path: { link: digestLink },
    example: { path: { link: 'dhu7w5evpja5b81j1yflkytt62h3yn3b' } },
    type: 'text/html',
    status: 200,
    refusals: digestLinkRefusals,
    run: async ({ path: { link } }) => {
      await requireDigestLink(link);
      return new PageAnswer(askPage());
    },
  }),
  POST: operation({
    summary: 'Turn off e-mails about unread messages, by the link in each of them (RFC 8058)',
    access: 'anyone',
    path: { link: digestLink },
    form: { 'List-Unsubscribe': 'The word `One-Click`; nothing depends on it.' },
    example: { path: { link: 'dhu7w5evpja5b81j1yflkytt62h3yn3b' }, body: { 'List-Unsubscribe': 'One-Click' } },
    type: 'text/html',
    status: 200,
    refusals: digestLinkRefusals,
    run: async ({ path: { link } }) => {
      await endDigests(link);
      return new PageAnswer(endedPage());
    },
  }),
});
