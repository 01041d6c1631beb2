/** In the bundles, these take the place of the same classes of the package `whatwg-url`. */
export const { URL, URLSearchParams } = globalThis;
