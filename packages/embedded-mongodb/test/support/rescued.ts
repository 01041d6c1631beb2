import { expect } from 'vitest';
import type { ExpectedCollections } from '../../src/rescue/found-catalog.ts';
import { openRescue } from '../../src/rescue/rescue.ts';
import { keyOf } from './document-pages.ts';

/** The documents that a rescue finds, by their keys, and how many it says are lost. */
export function rescue(directory: string, expected?: ExpectedCollections) {
  const found = new Map<string, Buffer>();
  const rescued = openRescue(directory, expected);
  let [lost, doubtful, isExact] = [0, 0, true];
  for (const collection of rescued.collections) {
    for (const document of collection.documents()) {
      const key = keyOf(collection.db, collection.name, document);
      expect([key, found.has(key)]).toEqual([key, false]);
      found.set(key, document);
    }
    lost += collection.lost().documents;
    doubtful += collection.lost().doubtful;
    isExact &&= collection.lost().isExact;
  }
  rescued.close();
  return { found, lost, isExact, doubtful, lostFrames: rescued.lostFrames };
}
