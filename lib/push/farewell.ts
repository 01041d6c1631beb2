import { carrier } from '../carrier.ts';
import { removeConnection } from './connections.ts';
import { encode } from './encode.ts';
import { type Farewell, farewells } from './frames.ts';

/** Says why a connection to a gateway ends, which can't tell that itself, and ends it. */
export async function endConnection(id: string, reason: Farewell): Promise<void> {
  const { code, ...farewell } = farewells[reason];
  await carrier?.post(id, encode({ type: 'bye', code, reason, ...farewell }));
  await Promise.all([carrier?.close(id), removeConnection(id)]);
}
