import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import type { Operations } from '../../lib/http/operation.ts';
import type { Handler } from '../../lib/http/request.ts';

const project = new URL('../../', import.meta.url);

/** What `serverless.yml` says. */
export const serverless = load(readFileSync(new URL('serverless.yml', project), 'utf8')) as {
  functions: Record<string, { handler: string; events: { httpApi: string }[] }>;
  provider: { runtime: string; architecture: 'arm64' | 'x86_64'; memorySize: number };
  custom: {
    esbuild: { bundle: true; minify: true; sourcemap: false; platform: 'node'; target: string; exclude: string[] };
  };
};

/** The functions that `serverless.yml` lists, with the path (`*`: all that are no other's) and the file of each. */
export const functions = Object.entries(serverless.functions).map(([name, { handler, events }]) => {
  const [file, exported] = handler.split('.');
  return { name, path: events[0]?.httpApi.split(' ').at(-1) ?? '', file: `${file}.ts`, exported };
});

/** Loads the handler of a function's file. */
export const loadHandler = async (file: string): Promise<Handler> => (await import(new URL(file, project).href)).handler;

/** Every path of the service, with its operations. */
export async function loadPaths(): Promise<{ path: string; operations: Operations }[]> {
  const listed = functions.filter(({ path }) => path !== '*');
  return Promise.all(listed.map(async ({ path, file }) => ({ path, operations: (await loadHandler(file)).operations })));
}

/** Finds the function of a path, and the variable parts of the path, as API Gateway does: a literal part before a variable one. */
export async function route(path: string): Promise<{ name: string; handler: Handler; pathParameters: Record<string, string> }> {
  const parts = partsOf(path);
  for (const { name, template, file } of templates) {
    const pathParameters = match(template, parts);
    if (pathParameters) return { name, handler: await loadHandler(file), pathParameters };
  }
  throw new Error(`serverless.yml has no function for ${path}`);
}

/** The parts of a path between its slashes, their escapes undone; in a path with an escape that is none, each stands for itself. */
export function partsOf(path: string): string[] {
  try {
    return path.split('/').map(decodeURIComponent);
  } catch {
    return path.split('/');
  }
}

function match(template: string[], parts: string[]): Record<string, string> | undefined {
  if (template[0] === '*') return {};
  if (template.length !== parts.length) return undefined;
  const variables: Record<string, string> = {};
  for (const [at, part] of parts.entries()) {
    const variable = /^\{(\w+)\}$/.exec(template[at] ?? '')?.[1];
    if (variable === undefined ? template[at] !== part : part === '') return undefined;
    if (variable !== undefined) variables[variable] = part;
  }
  return variables;
}

// Literal paths first, then those with variables, then the one for all others.
const rank = ({ path }: { path: string }) => (path === '*' ? 2 : Number(path.includes('{')));
const templates = functions
  .toSorted((one, other) => rank(one) - rank(other))
  .map(({ name, path, file }) => ({ name, file, template: path.split('/') }));

/** What a path with variables matches: `{room}` is a named group. */
export function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);
}
