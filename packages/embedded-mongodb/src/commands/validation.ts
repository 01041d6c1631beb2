import { DatabaseError } from '../query/errors.ts';
import { compileFilter, type Filter } from '../query/match.ts';
import { type Doc, isDoc, type Value } from '../query/value.ts';
import type { Collection } from '../storage/collection.ts';
import { DetailedError } from '../storage/duplicate-key.ts';
import { MAX_DOCUMENT_BYTES } from './limits.ts';
import { explainFailure } from './validation-details.ts';

const compiled = new WeakMap<Collection, Filter | null>();

/** Refuses, with 121, a document that the collection's validator does not let in. */
export function validate(collection: Collection, doc: Doc): void {
  if (isValid(collection, doc) || collection.options.get('validationAction') === 'warn') return;
  const validator = collection.options.get('validator') as Doc;
  const details = explainFailure(validator, doc);
  const errInfo: Doc = new Map<string, Value>([
    ['failingDocumentId', doc.get('_id') ?? null],
    ['details', details],
  ]);
  throw new DetailedError(121, 'Document failed validation', new Map([['errInfo', errInfo]]));
}

/** The same for a change: `moderate` leaves documents alone that were not valid before. */
export function validateChange(collection: Collection, before: Doc, after: Doc): void {
  if (collection.options.get('validationLevel') === 'moderate' && !isValid(collection, before)) return;
  validate(collection, after);
}

/** Refuses a document that is larger than MongoDB allows. */
export function checkSize(bytes: Uint8Array): void {
  if (bytes.length <= MAX_DOCUMENT_BYTES) return;
  throw new DatabaseError(10334, `BSONObj size: ${bytes.length} is invalid. Size must be between 0 and ${MAX_DOCUMENT_BYTES}`);
}

function isValid(collection: Collection, doc: Doc): boolean {
  let filter = compiled.get(collection);
  if (filter === undefined) {
    const validator = collection.options.get('validator');
    const off = collection.options.get('validationLevel') === 'off';
    filter = isDoc(validator) && validator.size > 0 && !off ? compileFilter(validator) : null;
    compiled.set(collection, filter);
  }
  return filter === null || filter.matches(doc);
}
