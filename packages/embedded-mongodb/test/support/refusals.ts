import { testDatabase } from './examine.ts';
import { connectWire } from './wire-client.ts';
import type { Writer } from './writer.ts';

/** Some of the writers' commands are meant to get it; it says that nothing was to be written, whatever the disk does. */
const duplicateKey = 11000;

/** What the writers met with. */
export type Refusals = {
  /** The error codes of the refused commands. */
  readonly codes: ReadonlySet<number>;
  readonly acknowledged: number;
  /** Of those, the ones that were sent when a refusal was already known. */
  readonly acknowledgedAfterwards: number;
};

/** Lets all write until each has been refused several times in a row. */
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

/** Lets each writer have some more commands acknowledged, the refused one first. */
export async function writeSome(writers: readonly Writer[], uri: string, commands: number): Promise<void> {
  await Promise.all(
    writers.map(async (writer) => {
      const client = await connectWire(uri);
      for (let i = 0; i < commands; i++) writer.acknowledged(await client.command(testDatabase, writer.next().command));
      client.close();
    }),
  );
}
