import { isObject } from 'chat-service-rules/objects';

/*
 * Helpers for foreign JSON, in which any field may be missing or have another type. A field of the
 * wrong type counts as missing.
 */

export type Json = Record<string, unknown>;

export const jsonOf = (value: unknown): Json => (isObject(value) ? value : {});

export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** A string. Numbers count as well, because some exports have numbers as names. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined;

export const numberOf = (value: unknown): number | undefined => {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
};
