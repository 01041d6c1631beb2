import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

/** A mounted ext4 file system in a file. */
export type LoopImage = {
  readonly mountpoint: string;
  /**
   * Copies the data that has reached the device, as after a power cut. Nothing may write meanwhile.
   */
  copyAsCut(target: string): void;
  unmount(): void;
};

/** Creates a file with an empty ext4 file system. */
export function makeImage(file: string, megabytes: number): void {
  writeFileSync(file, '');
  truncateSync(file, megabytes * 1024 * 1024);
  run('mkfs.ext4', '-q', '-F', '-m', '0', '-E', 'lazy_itable_init=0,lazy_journal_init=0', file);
}

/**
 * Mounts an image next to its file. This replays the file system's journal, as after a power cut.
 */
export function mountImage(file: string): LoopImage {
  const mountpoint = `${file}.mounted`;
  mkdirSync(mountpoint, { recursive: true });
  run('mount', '-o', 'loop', file, mountpoint);
  const device = basename(mountedDevice(mountpoint));
  // Completed and pending writes. The file system may write by itself at any time.
  const activity = () => ['stat', 'inflight'].map((name) => readFileSync(`/sys/block/${device}/${name}`, 'utf8'));
  const writes = ([stat = '', inflight = '']: string[]) => `${stat.trim().split(/\s+/)[4]} ${inflight.trim().split(/\s+/)[1]}`;
  return {
    mountpoint,
    copyAsCut(target) {
      let before: string;
      do {
        before = writes(activity());
        run('cp', '--sparse=auto', file, target);
      } while (!before.endsWith(' 0') || writes(activity()) !== before);
    },
    unmount: () => run('umount', mountpoint),
  };
}

/** Explains why images cannot be mounted here; `undefined` if they can. */
export function whyNoImages(): string | undefined {
  if (process.getuid?.() !== 0) return 'only root may mount images';
  const directory = mkdtempSync(join(tmpdir(), 'image-'));
  try {
    const file = join(directory, 'image');
    makeImage(file, 8);
    mountImage(file).unmount();
    return undefined;
  } catch (error) {
    return `images cannot be mounted: ${(error as Error).message.trim().split('\n').at(-1)}`;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function mountedDevice(mountpoint: string): string {
  const mounts = readFileSync('/proc/self/mounts', 'utf8').split('\n');
  return mounts.map((line) => line.split(' ')).find(([, where]) => where === mountpoint)?.[0] as string;
}

function run(command: string, ...args: string[]): void {
  execFileSync(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
}
