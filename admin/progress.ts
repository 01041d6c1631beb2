/** A progress bar on the terminal's last line; prints nothing without a terminal. */
export function progressBar(stream: Pick<NodeJS.WritableStream, 'write'> & { isTTY?: boolean }, width = 40) {
  let shown = '';
  return {
    update(done: number, all: number): void {
      const share = all === 0 ? 1 : done / all;
      const filled = Math.floor(share * width);
      const bar = `[${'#'.repeat(filled)}${' '.repeat(width - filled)}] ${Math.floor(share * 100)}% ${done} of ${all}`;
      if (!stream.isTTY || bar === shown) return;
      stream.write(`\r${bar}`);
      shown = bar;
    },

    end(): void {
      if (shown) stream.write('\n');
    },
  };
}
