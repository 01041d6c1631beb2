import { html } from './html.ts';
import { makePage, type Page } from './page.ts';

/** The help page that the 406 error links to: how to request and send JSON. */
export const jsonHelpPage = (reference: string): Page =>
  makePage(
    'How to ask for JSON and how to send it',
    html`<main>
<h1>How to ask for JSON and how to send it</h1>
<p>The API answers <code>415 Unsupported media type</code> to the first two of these mistakes and <code>406 Media type not acceptable</code> to the third;
<code>/api/rooms</code> answers 406 to all three. Look at your request in this order:</p>
<ol>
<li><strong>The body's type.</strong> The most frequent mistake: POST, PUT and PATCH need the header <code>Content-Type: application/json</code>. A charset after it is fine,
and so are types such as <code>application/merge-patch+json</code>. A form (<code>application/x-www-form-urlencoded</code>, the default of curl's <code>-d</code>), plain text, or no <code>Content-Type</code> at all is not JSON.</li>
<li><strong>The body.</strong> PUT and PATCH need one. Without fields, send <code>{}</code>.</li>
<li><strong>The accepted type.</strong> Omit <code>Accept</code>, or allow JSON: <code>application/json</code>, <code>application/*</code> or <code>*/*</code>.
A request that accepts only <code>text/html</code>, or gives JSON the quality 0, cannot be answered.</li>
</ol>
<p>This request is correct, with a file <code>ann.token</code> that has the line <code>X-Auth-Token: …</code></p>
<pre><code>curl https://chat.example.org/api/rooms \\
  -H @ann.token \\
  -H 'Accept: application/json' \\
  -H 'Content-Type: application/json' \\
  -d '{"name": "General"}'</code></pre>
<p><a href="${reference}">The API reference</a></p>
</main>`,
  );
