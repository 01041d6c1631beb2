import { createRequire } from 'node:module';

type Serverless = { processedInput: { commands: string[] } };

/**
 * A serverless plugin: serverless-esbuild, but not under serverless-offline, which runs TypeScript by itself. A bundle per
 * function would give each its own database client there, and to load it takes a fifth of a start.
 */
export default class BundlerPlugin {
  constructor(serverless: Serverless, ...further: unknown[]) {
    if (serverless.processedInput.commands[0] === 'offline') return;
    const Bundler = createRequire(import.meta.url)('serverless-esbuild');
    // biome-ignore lint/correctness/noConstructorReturn: serverless makes each plugin with `new`
    return new Bundler(serverless, ...further);
  }
}
