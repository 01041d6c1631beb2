import { loadHandler, readRoutes, readServerless } from '../../hosts/server/routes.ts';
import type { Operations } from '../../lib/http/operation.ts';

/** The content of `serverless.yml`. */
export const serverless = readServerless() as ReturnType<typeof readServerless> & {
  provider: { runtime: string; architecture: 'arm64' | 'x86_64'; memorySize: number; environment: Record<string, string> };
  custom: {
    deployment: { connectionString: string; withoutDatabase: string[] };
    esbuild: {
      bundle: true;
      minify: true;
      sourcemap: false;
      platform: 'node';
      target: string;
      format: 'esm';
      banner: { js: string };
      exclude: string[];
    };
  };
};

/** The functions that `serverless.yml` lists, with the path (`*`: all paths that no other function has) and the file of each. */
export const functions = readRoutes().filter(({ method, path }) => method === 'ANY' || path === '*');

/** Every path of the service, with its operations. */
export async function loadPaths(): Promise<{ path: string; operations: Operations }[]> {
  const listed = functions.filter(({ path }) => path !== '*');
  return Promise.all(listed.map(async (route) => ({ path: route.path, operations: (await loadHandler(route)).operations })));
}
