/*
 * Exits with 0 if the server of this machine and its database answer. For container health checks:
 * `node hosts/server/healthcheck.ts`
 */

const port = process.env.HTTP_PORT || '3000';
// A server that listens on all addresses also listens on 127.0.0.1.
const host = ['', '0.0.0.0', '::'].includes(process.env.HTTP_HOST ?? '') ? '127.0.0.1' : process.env.HTTP_HOST;

try {
  const { status } = await fetch(`http://${host}:${port}/api/health`, { signal: AbortSignal.timeout(11_000) });
  process.exitCode = status === 200 ? 0 : 1;
} catch {
  process.exitCode = 1;
}
