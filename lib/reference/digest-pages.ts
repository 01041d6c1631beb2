import { type Config, fromConfig } from '../settings/config.ts';
import { html } from './html.ts';
import { makePage } from './page.ts';

const titleOf = ({ brandName }: Pick<Config, 'brandName'>) => `E-mails from ${brandName}`;

/**
 * A page that asks whether to stop the e-mails. Opening an address must not stop them, because
 * e-mail scanners open addresses too.
 */
export const askPage = fromConfig((config) =>
  makePage(
    titleOf(config),
    html`<main>
<h1>${titleOf(config)}</h1>
<p>You get an e-mail about unread messages at most once a day, after a day away.</p>
<form method="post"><input type="hidden" name="List-Unsubscribe" value="One-Click"><button>Stop these e-mails</button></form>
</main>`,
    undefined,
    { hasForm: true },
  ),
);

/** A page that confirms that the e-mails have stopped. */
export const endedPage = fromConfig((config) =>
  makePage(
    titleOf(config),
    html`<main>
<h1>${titleOf(config)}</h1>
<p role="status">You will no longer get e-mails about unread messages. You can turn them on again in the settings.</p>
</main>`,
  ),
);
