import { isObject } from 'chat-service-rules/objects';

/*
 * Looks at what others have written, in which any field may be missing, or be of another type: what is not as it
 * should be counts as missing.
 */

export type Json = Record<string, unknown>;

export const jsonOf = (value: unknown): Json => (isObject(value) ? value : {});

export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** A text; a number is one as well, as which some exports have names. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined;

export const numberOf = (value: unknown): number | undefined => {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
};
