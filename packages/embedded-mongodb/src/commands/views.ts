import { DatabaseError } from '../query/errors.ts';
import type { Collection } from '../storage/collection.ts';

/** Refuses, with 166, what cannot be done to a view. */
export function refuseView(collection: Collection | undefined): void {
  if (collection?.options.has('viewOn'))
    throw new DatabaseError(166, `Namespace ${collection.namespace} is a view, not a collection`);
}
