import { launchDatabase } from './launch.ts';

type Serverless = {
  service: {
    custom?: { 'embedded-database'?: { port: string; dataDir: string } };
    provider: { environment?: Record<string, string> };
  };
};

/** A serverless plugin: gives the functions under serverless-offline the embedded database, unless `MONGODB_URI` names another. */
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

async function launch({ port, dataDir } = { port: '27027', dataDir: './data' }): Promise<string> {
  try {
    const database = await launchDatabase({ dataDir, port: Number(port) });
    // serverless-offline ends the process by itself once its requests are done: only then may the database go.
    process.once('exit', () => database.closeNow());
    return database.uri;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    process.exit(1);
  }
}
