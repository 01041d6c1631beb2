import { hash } from 'node:crypto';
import { preconditionFailed } from '../base/errors.ts';
import { lastEpoch } from '../database/epoch.ts';

/** Checks the current representation of a resource before a change; throws a 412. */
export type Precondition = (shown: object) => void;

/**
 * The entity tag of a response's JSON (RFC 9110, 8.8.3). It includes the epoch, which must be known
 * by then, so that a restore of the database changes every tag.
 */
export const entityTag = (json: string): string => `"${hash('sha256', lastEpoch() + json, 'base64url').slice(0, 22)}"`;

/** The precondition of a request's `If-Match`, if it has one. */
export const preconditionOf = ({ 'if-match': header }: Record<string, string | undefined>): Precondition | undefined =>
  header === undefined
    ? undefined
    : (shown) => {
        if (!lists(header, entityTag(JSON.stringify(shown)))) throw preconditionFailed();
      };

/**
 * Returns true if an `If-Match` or `If-None-Match` lists the tag; `*` matches every tag. `W/` is
 * ignored, because proxies that compress make tags weak.
 */
export const lists = (header: string, tag: string): boolean =>
  header.trim() === '*' || header.split(',').some((one) => one.trim().replace(/^W\//, '') === tag);
