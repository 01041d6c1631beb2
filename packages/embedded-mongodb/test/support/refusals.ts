import { testDatabase } from './examine.ts';
import { connectWire } from './wire-client.ts';
import type { Writer } from './writer.ts';

/** Some commands of the writers fail with this error on purpose, whatever the state of the disk. */
const duplicateKey = 11000;

/** The results of the writers' commands. */
export type Refusals = {
  /** The error codes of the refused commands. */
  readonly codes: ReadonlySet<number>;
  readonly acknowledged: number;
  /** The acknowledged commands that were sent after a known refusal. */
  readonly acknowledgedAfterwards: number;
};

/** Writes until each writer's commands have been rejected several times in a row. */
export async function writeUntilRefused(writers: readonly Writer[], uri: string, times = 3): Promise<Refusals> {
  const result = { codes: new Set<number>(), acknowledged: 0, acknowledgedAfterwards: 0 };
  await Promise.all(
    writers.map(async (writer) => {
      const client = await connectWire(uri);
      for (let refused = 0; refused < times; ) {
        const known = result.codes.size > 0;
        const reply = await client.command(testDatabase, writer.next().command);
        const code = reply.code ?? reply.writeErrors?.[0].code;
        if (code !== undefined && code !== duplicateKey) {
          result.codes.add(code);
          refused++;
          continue;
        }
        writer.acknowledged(reply);
        refused = 0;
        result.acknowledged++;
        if (known && code !== duplicateKey) result.acknowledgedAfterwards++;
      }
      client.close();
    }),
  );
  return result;
}

/**
 * Sends some more commands per writer, starting with the rejected one. All must be acknowledged.
 */
export async function writeSome(writers: readonly Writer[], uri: string, commands: number): Promise<void> {
  await Promise.all(
    writers.map(async (writer) => {
      const client = await connectWire(uri);
      for (let i = 0; i < commands; i++) writer.acknowledged(await client.command(testDatabase, writer.next().command));
      client.close();
    }),
  );
}
