/** Replaces the package `whatwg-url` in the bundles. */
export const { URL, URLSearchParams } = globalThis;
