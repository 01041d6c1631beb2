import { type OpenApi, type Response, resolve } from '../../lib/reference/openapi.ts';
import { shapeOf } from '../../lib/reference/shape.ts';
import { type Listed, listOperations } from '../harness/example-requests.ts';
import type { Step } from '../harness/walkthrough.ts';

/** `docs/api.md`: the whole API in words, each operation with a line that calls it and what that printed. */
export function apiPage(document: OpenApi, steps: Map<string, Step>): string {
  const operations = listOperations(document);
  const of = (tag: string) => operations.filter(({ tags }) => tags.includes(tag));
  const parts = document.tags.map(
    ({ name, description }) =>
      `## ${name}\n\n${description}\n\n${of(name)
        .map((operation) => section(document, operation, steps.get(`${operation.method} ${operation.path}`)))
        .join('\n')}`,
  );
  const shapes = Object.entries(document.components.schemas).map(([name, schema]) =>
    fence('ts', `type ${name} = ${shapeOf(schema)}`),
  );

  return `# The API

<!-- Made by 'npm run openapi' from the operations themselves; the story in tools/harness/walkthrough-steps.ts sends the requests. -->

${document.info.description}

The same as [OpenAPI 3.1](openapi.json), which a running service has at \`/api/openapi.json\`, and as a page to try it on at \`/docs\`.
In the examples \`$API\` is where the service is (\`http://localhost:3000\`), \`$ANN\` an administrator's token, \`$BOB\` another user's.

${parts.join('\n')}
## Shapes

${shapes.join('\n')}`;
}

function section(document: OpenApi, operation: Listed, step: Step | undefined): string {
  const { method, path, summary, description, parameters = [], requestBody, responses } = operation;
  const body = requestBody?.content['application/json']?.schema;
  const rows = parameters.map(
    ({ name, in: place, required, description: rule = '', schema }) =>
      `| \`${name}\` | ${place}${required ? ', required' : ''} | \`${shapeOf(schema).replaceAll('|', '\\|')}\` | ${rule} |\n`,
  );
  const answers = Object.entries(responses).map(([status, found]) => {
    const response = resolve<Response>(document, found, '').value;
    const schema = status < '300' && Object.values(response.content ?? {})[0]?.schema;
    const sentence = 'description' in found && found.description ? found.description : response.description;
    return `| ${status} | ${schema ? `${sentence} \`${shapeOf(schema).replaceAll(/\s+/g, ' ').replaceAll('|', '\\|')}\`` : sentence} |\n`;
  });
  return `### ${method} ${path}

${summary}. ${description}

${rows.length > 0 ? `| Parameter | In | Form | |\n| --- | --- | --- | --- |\n${rows.join('')}\n` : ''}${body ? `The body:\n\n${fence('ts', shapeOf(body))}\n` : ''}| Status | |
| --- | --- |
${answers.join('')}
${step ? example(document, step) : ''}`;
}

function example(document: OpenApi, { who, method, address, body, status, answer, path }: Step): string {
  const words = ['curl -s'];
  if (status === 204) words.push("-o /dev/null -w '%{http_code}'");
  if (method !== 'GET' && !(method === 'POST' && body !== undefined)) words.push(`-X ${method}`);
  words.push(`"$API${address}"`);
  if (who.token) words.push(`-H "X-Auth-Token: $${who.name.toUpperCase()}"`);
  if (body !== undefined)
    words.push("-H 'Content-Type: application/json'", `-d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`);
  const isDocument = path === '/api/openapi.json';
  const printed = isDocument ? JSON.stringify(document).slice(0, 48) : status === 204 ? '204' : JSON.stringify(answer);
  return `${fence('sh', `${words.join(' ')}${isDocument ? ' | head -c 48' : ''}`)}\n${fence('json', printed)}`;
}

const fence = (language: string, code: string) => `\`\`\`${language}\n${code}\n\`\`\`\n`;
