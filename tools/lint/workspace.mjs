import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export const LAYERS = ['domain', 'contract', 'adapter', 'service'];

/**
 * The workspace's packages, by their manifests: folder (relative to the root), name, layer tags, dependencies.
 * Throws when there is none: a gate over nothing would pass.
 */
export function readWorkspace(root) {
  const manifest = readJson(join(root, 'package.json'));
  const packages = manifest.workspaces
    .flatMap((pattern) => globSync(`${pattern}/package.json`, { cwd: root }))
    .map((file) => ({ folder: dirname(file), manifest: readJson(join(root, file)) }))
    .map(({ folder, manifest }) => ({
      folder,
      name: manifest.name,
      manifest,
      layers: (manifest.nx?.tags ?? []).filter((tag) => tag.startsWith('layer:')).map((tag) => tag.slice(6)),
    }))
    .sort((one, other) => (one.folder < other.folder ? -1 : 1));
  if (packages.length === 0) throw new Error(`no project in ${root}: there is nothing that a rule could be checked on`);
  return { manifest, packages };
}

export function readJson(path) {
  if (!existsSync(path)) throw new Error(`${path} is missing`);
  return JSON.parse(readFileSync(path, 'utf8'));
}

/** Every list of dependencies in a manifest, flattened to name and version. */
export function dependenciesOf(manifest) {
  return ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'].flatMap((list) =>
    Object.entries(manifest[list] ?? {}).map(([name, version]) => ({ list, name, version })),
  );
}
