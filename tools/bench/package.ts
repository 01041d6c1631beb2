import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { inflateRawSync } from 'node:zlib';
import { build } from 'esbuild';
import esbuildPlugins from '../../hosts/aws/esbuild-plugins.ts';
import { functions, serverless } from '../harness/functions.ts';
import type { Run } from './worker/bundle.ts';

const project = fileURLToPath(new URL('../../', import.meta.url));

/** A function as it would be deployed. */
export type Packaged = {
  name: string;
  /** The size of its archive, in bytes. */
  zipped: number;
  /** Where its archive was unpacked, and its code therein. */
  directory: string;
  bundle: string;
};

/** Packages every function as `serverless deploy` does, without credentials; the template is in `packages` of the directory. */
export async function packageAll(
  directory: string,
  settings: Readonly<Record<string, string | undefined>> = {},
): Promise<Packaged[]> {
  const credentials = { AWS_ACCESS_KEY_ID: undefined, AWS_SECRET_ACCESS_KEY: undefined, AWS_PROFILE: undefined };
  // What it is here may not be deployed.
  const environment = { ...process.env, ...credentials, SMTP_URL: undefined };
  const options = { cwd: project, env: { ...environment, HOME: directory, TMPDIR: directory, ...settings } };
  await promisify(execFile)('npx', ['serverless', 'package', '--package', join(directory, 'packages')], options);
  const archives = (await readdir(join(directory, 'packages'))).filter((file) => file.endsWith('.zip'));
  return Promise.all(
    archives.map(async (zip) => {
      const name = zip.replace(/\.zip$/, '');
      const archive = await readFile(join(directory, 'packages', zip));
      const file = firstFileIn(archive);
      const bundle = join(directory, name, file.path);
      await mkdir(dirname(bundle), { recursive: true });
      await writeFile(bundle, file.content);
      return { name, zipped: archive.length, directory: join(directory, name), bundle };
    }),
  );
}

/** Bundles one file with the same options. */
export async function bundleFile(file: string, outfile: string): Promise<void> {
  await build({ ...esbuildOptions(), absWorkingDir: project, entryPoints: [file], outfile, write: true });
}

/** Loads a bundle in a new process and calls it `repeats` times. */
export async function runBundle(
  bundle: string,
  event: object,
  repeats: number,
  settings: Readonly<Record<string, string>>,
): Promise<Run> {
  const script = fileURLToPath(new URL('./worker/bundle.ts', import.meta.url));
  const options = { env: { ...process.env, ...settings } };
  const words = [script, bundle, String(repeats), JSON.stringify(event)];
  return JSON.parse((await promisify(execFile)(process.execPath, words, options)).stderr);
}

/** The packages of node_modules, and the files of the project, that are in the bundle of each function. */
export async function contentsOfBundles(): Promise<{ name: string; inputs: string[] }[]> {
  const entryPoints = functions.map(({ file }) => file);
  const options = { ...esbuildOptions(), absWorkingDir: project, entryPoints, outdir: 'bundles' };
  const { metafile } = await build({ ...options, write: false, metafile: true });
  return functions.map(({ name, file }) => {
    const bundle = Object.values(metafile.outputs).find(({ entryPoint }) => entryPoint === file);
    const inputs = Object.entries(bundle?.inputs ?? {}).filter(([, { bytesInOutput }]) => bytesInOutput > 0);
    return {
      name,
      inputs: [...new Set(inputs.map(([input]) => input.replace(/^.*node_modules\/((?:@[^/]+\/)?[^/]+)\/.*$/, '$1')))],
    };
  });
}

function esbuildOptions() {
  const { bundle, minify, sourcemap, platform, target, format, banner, exclude } = serverless.custom.esbuild;
  return { bundle, minify, sourcemap, platform, target, format, banner, external: exclude, plugins: esbuildPlugins };
}

/** The first file of a zip archive, the only one that a function has: its local header is 30 bytes, followed by its name and extra field. */
function firstFileIn(archive: Buffer): { path: string; content: Buffer } {
  const directory = archive.readUInt32LE(archive.length - 6);
  const packedLength = archive.readUInt32LE(directory + 20);
  const begin = 30 + archive.readUInt16LE(26) + archive.readUInt16LE(28);
  const packed = archive.subarray(begin, begin + packedLength);
  const path = archive.toString('utf8', 30, 30 + archive.readUInt16LE(26));
  return { path, content: archive.readUInt16LE(8) === 0 ? packed : inflateRawSync(packed) };
}
