import { harmless } from './output.ts';

type Terminal = Pick<NodeJS.WritableStream, 'write'> & { isTTY?: boolean };

/** Shows progress as text on the terminal's last line; prints nothing without a terminal. */
export function progressLine(stream: Terminal) {
  let shown = '';
  return {
    update(what: string): void {
      if (!stream.isTTY || what === shown) return;
      stream.write(`\r${harmless(what).padEnd(shown.length)}`);
      shown = what;
    },

    end(): void {
      if (shown) stream.write('\n');
    },
  };
}

/** Shows a progress bar on the terminal's last line; prints nothing without a terminal. */
export function progressBar(stream: Terminal, width = 40) {
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
