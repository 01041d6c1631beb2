import { loadHandler, readRoutes, readServerless } from '../../hosts/server/http/routes.ts';
import type { Operations } from '../../lib/http/operation.ts';
import { pageWords } from '../../lib/reference/web-page.ts';

/** The content of `serverless.yml`. */
export const serverless = readServerless() as ReturnType<typeof readServerless> & {
  provider: { environment: Record<string, string> };
  custom: {
    deployment: {
      connectionString: string;
      roles: Record<string, string[]>;
    };
  };
};

/** The paths of a route with a variable whose function has several paths. */
const families: Record<string, string[]> = {
  '/api/oidc/{step}': ['/api/oidc/start', '/api/oidc/callback', '/api/oidc/logout'],
  '/api/oauth/{step}': ['/api/oauth/authorization', '/api/oauth/token', '/api/oauth/revocation'],
  '/.well-known/{document+}': [
    '/.well-known/oauth-authorization-server',
    '/.well-known/oauth-protected-resource',
    '/.well-known/oauth-protected-resource/api/mcp',
  ],
};

/**
 * Every path of the service with the name and file of its function. The path `*` matches all
 * others.
 */
export const routes = readRoutes()
  .filter(({ method, path }) => method === 'ANY' || path === '*')
  .flatMap((route) => (families[route.path] ?? [route.path]).map((path) => ({ ...route, path })));

/** The functions with HTTP events, each with its first path. */
export const functions = routes.filter(({ name }, at) => routes.findIndex((route) => route.name === name) === at);

/** The functions without HTTP events. */
export const otherFunctions = Object.entries(serverless.functions)
  .filter(([name]) => !routes.some((route) => route.name === name))
  .map(([name, { handler }]) => ({ name, file: `${handler.split('.')[0]}.ts` }));

/** The names of the functions whose role has a right. */
export const functionsThatMay = (right: string): string[] =>
  Object.entries(serverless.functions).flatMap(([name, { role = 'Database' }]) =>
    serverless.custom.deployment.roles[role]?.includes(right) ? [name] : [],
  );

/** Every path of the service, with its operations. */
export async function loadPaths(): Promise<{ path: string; operations: Operations }[]> {
  const listed = routes.filter(({ path }) => path !== '*');
  const paths = listed.map(async (route) => {
    const { operations, family } = await loadHandler(route);
    if (family) return [{ path: route.path, operations: family[route.path] ?? {} }];
    const own = route.path === '/{page}' ? Array.from(pageWords, (word) => `/${word}`) : [route.path];
    return own.map((path) => ({ path, operations }));
  });
  return (await Promise.all(paths)).flat();
}
