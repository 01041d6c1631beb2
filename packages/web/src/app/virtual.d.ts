declare module 'virtual:emoji' {
  /**
   * One text per group, with a line per emoji: the emoji, its short codes, its name, and what else
   * finds it, separated by tabs.
   */
  const groups: string[];
  export default groups;
}

// biome-ignore lint/style/useConsistentTypeDefinitions: only an interface can be extended from here
interface ImportMeta {
  env?: { DEV: boolean };
}

/** The styles of a view, which Vite loads with its code. */
declare module '*.css';

/** The address of a font's file. */
declare module '*.woff2' {
  const address: string;
  export default address;
}
