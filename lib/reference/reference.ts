import type { JsonSchema } from '../api/schema.ts';
import { type Html, html, prose } from './html.ts';
import { type OpenApi, type Operation, type Parameter, type Response, resolve } from './openapi.ts';
import { makePage, type Page } from './page.ts';
import { shapeOf } from './shape.ts';
import { tryCalls } from './try-calls.ts';

/** The API reference as a page from which readers can send requests. */
export function referencePage(document: OpenApi): Page {
  const { info, tags, components } = document;
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
  const of = (tag: string) => operations.filter(({ operation }) => operation.tags.includes(tag));
  const named = Object.entries(components.schemas);

  const body = html`<a class="skip" href="#operations">Skip to the operations</a>
<header>
<h1>${info.title} <small>${info.version}</small></h1>
${describe(info.description)}
<p>For programs: <a href="/api/openapi.json">OpenAPI 3.1</a>.</p>
<label>Token for the calls tried here; it stays in this page
<input id="token" type="password" autocomplete="off" spellcheck="false" placeholder="X-Auth-Token"></label>
</header>
<nav aria-label="Operations">${tags.map(
    ({ name }) =>
      html`<h2>${name}</h2><ul>${of(name).map(
        ({ method, path, operation }) => html`<li><a href="#${operation.operationId}"><code>${method} ${path}</code></a></li>`,
      )}</ul>`,
  )}</nav>
<main id="operations" tabindex="-1">
${tags.map(
  ({ name, description }) =>
    html`<section><h2>${name}</h2><p>${description}</p>${of(name).map((one) => describeOperation(document, one))}</section>`,
)}
<section><h2>Shapes</h2>${named.map(([name, schema]) => html`<h3 id="shape-${name}">${name}</h3><pre><code>${linked(document, schema)}</code></pre>`)}</section>
</main>`;
  return makePage(`${info.title}: API reference`, body, tryCalls);
}

type PlacedOperation = { method: string; path: string; operation: Operation };

function describeOperation(document: OpenApi, { method, path, operation }: PlacedOperation): Html {
  const { operationId, summary, description = '', parameters = [], requestBody } = operation;
  const content = requestBody?.content['application/json'];
  return html`<details id="${operationId}" name="operation">
<summary><span class="method">${method}</span> <code>${path}</code><br>${prose(summary)}</summary>
<p>${prose(description)}</p>
${tryForm({ method, path, operation })}
${parameters.length > 0 && html`<h3>Parameters</h3><table>${parameters.map(parameterRow)}</table>`}
${content && html`<h3>Body</h3><pre><code>${linked(document, content.schema)}</code></pre>`}
<h3>Answers</h3>
<table>${Object.entries(operation.responses).map(([status, found]) => {
    const response = resolve<Response>(document, found, '').value;
    return html`<tr><th scope="row">${status}</th><td>${prose('description' in found && found.description ? found.description : response.description)}${answerShape(document, response, status)}</td></tr>`;
  })}</table>
</details>
`;
}

const answerShape = (document: OpenApi, { content }: Response, status: string) => {
  const schema = status < '300' && Object.values(content ?? {})[0]?.schema;
  return schema && html`<pre><code>${linked(document, schema)}</code></pre>`;
};

/** A schema as HTML, in which the names of components are links. */
const linked = ({ components }: OpenApi, schema: JsonSchema): Html[] =>
  shapeOf(schema)
    .split(/\b([A-Z]\w+)\b/)
    .map((part) => (Object.hasOwn(components.schemas, part) ? html`<a href="#shape-${part}">${part}</a>` : html`${part}`));

const parameterRow = ({ name, in: place, required, description = '', schema }: Parameter) =>
  html`<tr><th scope="row"><code>${name}</code></th><td>${place}${required ? ', required' : ''}: <code>${shapeOf(schema)}</code>. ${description}</td></tr>`;

function tryForm({ method, path, operation: { parameters = [], requestBody } }: PlacedOperation): Html {
  const example = Object.values(requestBody?.content ?? {})[0]?.example;
  return html`<form data-method="${method}" data-path="${path}">
<h3>Try it</h3>
${parameters.map(
  ({ name, in: place, required, example: value }) => html`<label>${name}
<input name="${name}" data-in="${place}" value="${place === 'path' ? String(value ?? '') : ''}" ${required && html`required`} autocomplete="off" spellcheck="false"></label>`,
)}
${requestBody && html`<label>Body<textarea name="body" data-in="body" spellcheck="false">${example === undefined ? '' : JSON.stringify(example, null, 2)}</textarea></label>`}
<button>Send</button>
<pre><output></output></pre>
</form>`;
}

/** Converts paragraphs, and lists of lines that begin with a hyphen, to HTML. */
const describe = (text: string): Html[] =>
  text.split('\n\n').map((block) =>
    block.startsWith('- ')
      ? html`<ul>${block
          .slice(2)
          .split('\n- ')
          .map((line) => html`<li>${prose(line)}</li>`)}</ul>`
      : html`<p>${prose(block)}</p>`,
  );
