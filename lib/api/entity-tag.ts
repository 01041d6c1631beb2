import { hash } from 'node:crypto';
import { preconditionFailed } from '../base/errors.ts';
import { lastEpoch } from '../database/epoch.ts';

/** The condition that a change puts on the thing as it looks before: throws a 412. */
export type Precondition = (shown: object) => void;

/**
 * The entity tag of a response's JSON (RFC 9110, 8.8.3): as long as it is the same, the thing looks the same. The epoch, which
 * is to be known by then, makes another of it when the database was restored.
 */
export const entityTag = (json: string): string => `"${hash('sha256', lastEpoch() + json, 'base64url').slice(0, 22)}"`;

/** The precondition that a request's `If-Match` makes, if it has one. */
export const preconditionOf = ({ 'if-match': header }: Record<string, string | undefined>): Precondition | undefined =>
  header === undefined
    ? undefined
    : (shown) => {
        if (!lists(header, entityTag(JSON.stringify(shown)))) throw preconditionFailed();
      };

/**
 * Whether an `If-Match` or an `If-None-Match` lists a tag; `*` stands for every one. Proxies that compress make tags
 * weak: `W/` does not matter.
 */
export const lists = (header: string, tag: string): boolean =>
  header.trim() === '*' || header.split(',').some((one) => one.trim().replace(/^W\//, '') === tag);
