/** Settings of a process that make it run a script before anything else. */
export const preloading = (script: string) => ({ NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}` });
