/* Exits with 0 if this machine's server and its database answer: `node hosts/server/healthcheck.ts`, for container health checks. */

const port = process.env.HTTP_PORT || '3000';
// A server that listens on all addresses listens on this one, too.
const host = ['', '0.0.0.0', '::'].includes(process.env.HTTP_HOST ?? '') ? '127.0.0.1' : process.env.HTTP_HOST;

try {
  const { status } = await fetch(`http://${host}:${port}/api/health`, { signal: AbortSignal.timeout(11_000) });
  process.exitCode = status === 200 ? 0 : 1;
} catch {
  process.exitCode = 1;
}
