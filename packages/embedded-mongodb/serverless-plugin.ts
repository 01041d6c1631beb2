import { launchDatabase } from './launch.ts';
import { portOf } from './src/protocol/address.ts';

/** `port` is empty if the socket suffices. */
type Settings = { port?: string; dataDir?: string };

type Serverless = {
  service: {
    custom?: { 'embedded-database'?: Settings };
    provider: { environment?: Record<string, string> };
  };
};

/**
 * A serverless plugin that starts the embedded database for serverless-offline, unless
 * `MONGODB_URI` is set.
 */
export default class EmbeddedDatabasePlugin {
  readonly hooks: Record<string, () => Promise<void>>;
  readonly #serverless: Serverless;

  constructor(serverless: Serverless) {
    this.#serverless = serverless;
    const start = () => this.#start();
    this.hooks = { 'before:offline:start': start, 'before:offline:start:init': start };
  }

  async #start(): Promise<void> {
    const { provider, custom } = this.#serverless.service;
    process.env.MONGODB_URI ||= await launch(custom?.['embedded-database']);
    provider.environment = { ...provider.environment, MONGODB_URI: process.env.MONGODB_URI };
  }
}

async function launch({ port, dataDir = './data' }: Settings = {}): Promise<string> {
  try {
    const database = await launchDatabase({ dataDir, port: portOf(port) });
    // serverless-offline ends the process when its requests are done. Only then may the database
    // end.
    process.once('exit', () => database.closeNow());
    return database.uri;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    process.exit(1);
  }
}
