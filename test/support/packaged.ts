import { execFile } from 'node:child_process';
import { copyFile, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { inflateRawSync } from 'node:zlib';

const project = fileURLToPath(new URL('../../', import.meta.url));

/** A function as it would be deployed. */
type Packaged = {
  name: string;
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
  const environment = { ...process.env, ...credentials, SMTP_URL: undefined, SECRET_KEY: undefined, FILES: undefined };
  const options = {
    cwd: await linkProject(join(directory, 'project')),
    env: { ...environment, HOME: directory, TMPDIR: directory, ...settings },
  };
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
      return { name, directory: join(directory, name), bundle };
    }),
  );
}

/** A directory with links to all of the project: `serverless` builds in `.serverless` of where it runs, where two at a time spoil it. */
async function linkProject(directory: string): Promise<string> {
  await mkdir(directory);
  const names = (await readdir(project)).filter((name) => name !== '.serverless');
  for (const name of names) {
    const [from, to] = [join(project, name), join(directory, name)];
    await (name === 'serverless.yml' ? copyFile(from, to) : symlink(from, to));
  }
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
