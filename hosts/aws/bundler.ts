import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundle, driverPath } from './bundles/bundle.ts';
import { pack, zip } from './bundles/zip.ts';

type Definition = { handler: string; package?: { artifact: string } };
type Upload = { uploadZipFile?: (file: { filename: string; s3KeyDirname: string }) => Promise<void> };
type Serverless = {
  serviceDir: string;
  service: { functions: Record<string, Definition>; package: { artifactDirectoryName: string } };
  pluginManager: { plugins: Upload[] };
};

/**
 * A serverless plugin: makes the archive of each function, which has nothing but its bundle. The source maps are in
 * an archive of their own beside them, because a function that loads its map starts 12 % slower: `npm run stack` reads it.
 */
export default class BundlerPlugin {
  readonly hooks: Record<string, () => Promise<void>>;

  constructor(serverless: Serverless, options: { function?: string }) {
    this.hooks = {
      'before:package:createDeploymentArtifacts': () => packageFunctions(serverless, Object.keys(serverless.service.functions)),
      'before:deploy:function:packageFunction': () => packageFunctions(serverless, [options.function ?? '']),
      'after:aws:deploy:deploy:uploadArtifacts': () => uploadSourceMaps(serverless),
    };
  }
}

const sourceMaps = 'source-maps.zip';

async function packageFunctions({ serviceDir, service }: Serverless, names: string[]): Promise<void> {
  const definitions = names.flatMap((name) => service.functions[name] ?? []);
  const { bundles, driver, metafile } = await bundle(
    definitions.map(({ handler }) => handler),
    serviceDir,
  );
  const directory = join(serviceDir, '.serverless');
  await mkdir(directory, { recursive: true });
  const packedDriver = await pack(driverPath, driver.contents);
  const maps = await Promise.all(bundles.map(({ path, map }) => pack(`${path}.map`, map.contents)));
  await writeFile(join(directory, sourceMaps), zip(maps));
  // For esbuild's analyser, and tests.
  await writeFile(join(directory, 'metafile.json'), JSON.stringify(metafile));
  await Promise.all(
    Object.entries(service.functions).map(async ([name, definition]) => {
      const made = bundles.find(({ path }) => path === definition.handler.replace(/\.\w+$/, '.mjs'));
      if (!made) return;
      const artifact = join(directory, `${name}.zip`);
      const code = await pack(made.path, made.code.contents);
      await writeFile(artifact, zip([code, ...(made.needsDriver ? [packedDriver] : [])]));
      definition.package = { artifact };
    }),
  );
}

async function uploadSourceMaps({ serviceDir, service, pluginManager }: Serverless): Promise<void> {
  const filename = join(serviceDir, '.serverless', sourceMaps);
  const s3KeyDirname = service.package.artifactDirectoryName;
  for (const plugin of pluginManager.plugins) await plugin.uploadZipFile?.({ filename, s3KeyDirname });
}
