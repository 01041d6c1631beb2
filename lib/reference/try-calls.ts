/**
 * Makes each form of the reference send its request and show the response, and each link open its
 * target. It runs in the browser, so it refers to nothing outside itself.
 */
export function tryCalls(): void {
  const token = document.querySelector<Field>('#token');

  const requestOf = (form: Form) => {
    const query: string[] = [];
    const headers: Record<string, string> = { Accept: 'application/json' };
    let path = form.dataset.path ?? '';
    let body: string | undefined;
    if (token?.value) headers['X-Auth-Token'] = token.value.trim();
    for (const field of form.querySelectorAll<Field>('input, textarea')) {
      const value = encodeURIComponent(field.value);
      if (field.dataset.in === 'path') path = path.replace(`{${field.name}}`, value);
      else if (field.value === '') continue;
      else if (field.dataset.in === 'query') query.push(`${encodeURIComponent(field.name)}=${value}`);
      else if (field.dataset.in === 'header') headers[field.name] = field.value;
      else body = field.value;
    }
    if (body !== undefined) headers['Content-Type'] = 'application/json';
    const address = query.length > 0 ? `${path}?${query.join('&')}` : path;
    return { address, init: { method: form.dataset.method, headers, ...(body !== undefined && { body }) } };
  };

  const send = async (form: Form, output: Output) => {
    const { address, init } = requestOf(form);
    output.textContent = `${init.method} ${address}\n…`;
    const response = await fetch(address, init as RequestInit);
    const text = await response.text();
    const named = ['link', 'x-next-cursor', 'retry-after', 'allow', 'x-request-id'];
    const headers = named.filter((name) => response.headers.has(name)).map((name) => `${name}: ${response.headers.get(name)}\n`);
    const isJson = response.headers.get('content-type')?.startsWith('application/json') && text !== '';
    const shown = isJson ? JSON.stringify(JSON.parse(text), null, 2) : text;
    output.textContent = `${init.method} ${address}\n${response.status} ${response.statusText}\n${headers.join('')}\n${shown}`;
    // After a login or a sign-up, the reader continues as that user.
    if (token && isJson && response.ok && /^\/api\/(sessions|users)$/.test(address))
      token.value = JSON.parse(text).token ?? token.value;
  };

  const open = () => {
    const target = location.hash.length > 1 ? document.querySelector<Details>(location.hash) : null;
    if (!target || !('open' in target)) return;
    target.open = true;
    target.scrollIntoView();
  };
  addEventListener('hashchange', open);
  open();

  for (const form of document.querySelectorAll<Form>('form')) {
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      const output = form.querySelector<Output>('output');
      if (!output) return;
      send(form, output).catch((error: unknown) => {
        output.textContent = `The request could not be sent: ${error}`;
      });
    });
  }
}

// The parts of the DOM that are used here. With TypeScript's DOM library, the rest of the service
// would compile as if it ran in a browser.
declare const document: Page;
declare const location: { hash: string };
declare const addEventListener: (name: 'hashchange', listener: () => void) => void;
type Page = { querySelector<T>(selector: string): T | null; querySelectorAll<T>(selector: string): Iterable<T> };
type Form = Page & {
  dataset: { method?: string; path?: string };
  addEventListener(name: 'submit', listener: (event: { preventDefault(): void }) => void): void;
};
type Field = { name: string; value: string; dataset: { in?: string } };
type Details = { open?: boolean; scrollIntoView(): void };
type Output = { textContent: string };
