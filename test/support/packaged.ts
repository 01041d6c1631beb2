import { execFile } from 'node:child_process';
import { copyFile, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { inflateRawSync } from 'node:zlib';
import { otherFunctions, functions as withPath } from '../../tools/harness/functions.ts';

const project = fileURLToPath(new URL('../../', import.meta.url));
const functions = [...withPath, ...otherFunctions].map(({ file }) => file);

/** A function as it would be deployed. */
type Packaged = {
  name: string;
  /** Where its archive was unpacked, and its code therein. */
  directory: string;
  bundle: string;
};

/** Packages functions as `serverless deploy` does, without credentials; the template, of all, is in `packages` of the directory. */
export async function packageFunctions(
  directory: string,
  settings: Readonly<Record<string, string | undefined>> = {},
  files = functions,
): Promise<Packaged[]> {
  const credentials = { AWS_ACCESS_KEY_ID: undefined, AWS_SECRET_ACCESS_KEY: undefined, AWS_PROFILE: undefined };
  // What it is here may not be deployed.
  const environment = { ...process.env, ...credentials, SMTP_URL: undefined, SECRET_KEY: undefined, FILES: undefined };
  const options = {
    cwd: await linkProject(join(directory, 'project'), files),
    env: { ...environment, HOME: directory, TMPDIR: directory, ...settings },
  };
  await promisify(execFile)('serverless', ['package', '--package', join(directory, 'packages')], options);
  const archives = (await readdir(join(directory, 'packages'))).filter((file) => file.endsWith('.zip'));
  return Promise.all(
    archives.map(async (zip) => {
      const name = zip.replace(/\.zip$/, '');
      const archive = await readFile(join(directory, 'packages', zip));
      const file = firstFileIn(archive);
      const bundle = join(directory, name, file.path);
      await mkdir(dirname(bundle), { recursive: true });
      await writeFile(bundle, file.content);
      return { name, directory: join(directory, name), bundle };
    }),
  );
}

/**
 * A directory with links to all of the project: `serverless` builds in `.serverless` of where it runs, where two at a time spoil it.
 * Functions that are not among `files` are empty, because to bundle one takes most of a second.
 */
export async function linkProject(directory: string, files = functions): Promise<string> {
  await mkdir(join(directory, 'functions'), { recursive: true });
  const names = (await readdir(project)).filter((name) => !name.startsWith('.') && name !== 'functions');
  for (const name of [...names, ...files]) {
    const [from, to] = [join(project, name), join(directory, name)];
    await (name === 'serverless.yml' ? copyFile(from, to) : symlink(from, to));
  }
  for (const name of functions.filter((file) => !files.includes(file)))
    await writeFile(join(directory, name), 'export const handler = () => {};\n');
  return directory;
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
