import { join } from 'node:path';
import { dependenciesOf, LAYERS, readJson, readWorkspace } from './workspace.mjs';

/**
 * Nx sees every package, each has exactly one known layer tag and follows the naming convention, and the compiler's
 * project references say what the manifests say: what they leave out is not built.
 */
export async function checkProjects({ root, run }) {
  const { packages } = readWorkspace(root);
  const { code, stdout, output } = await run('nx', ['show', 'projects', '--json']);
  if (code !== 0) return [`nx show projects failed:\n${output}`];
  const seen = new Set(JSON.parse(stdout));
  if (seen.size === 0) return ['nx show projects lists no project'];
  const referenced = referencesOf(root, '.');
  return packages.flatMap((pack) => [...faultsOf(pack, seen), ...referenceFaults(root, pack, packages, referenced)]);
}

function faultsOf({ folder, name, layers, manifest }, seen) {
  return [
    ...(seen.has(name) ? [] : [`${folder}: nx show projects does not list ${name}`]),
    ...(layers.length === 1 && LAYERS.includes(layers[0])
      ? []
      : [`${folder}: nx.tags must hold exactly one of ${LAYERS.map((layer) => `layer:${layer}`).join(', ')}`]),
    ...(name === `@tidemark/${folder.split('/').at(-1)}`
      ? []
      : [`${folder}: its name should follow its folder, not ${name}`]),
    ...(manifest.private === true && manifest.type === 'module'
      ? []
      : [`${folder}: must be private and of type module`]),
  ];
}

function referenceFaults(root, { folder, manifest }, packages, referenced) {
  // Specs are not built, so what only they need may be left out.
  const foldersOf = (names) => packages.filter(({ name }) => names.includes(name)).map((other) => other.folder);
  const needed = foldersOf(Object.keys(manifest.dependencies ?? {}));
  const allowed = foldersOf(dependenciesOf(manifest).map(({ name }) => name));
  const listed = referencesOf(root, folder);
  return [
    ...(referenced.includes(folder) ? [] : [`tsconfig.json: no reference to ${folder}`]),
    ...listed
      .filter((other) => !allowed.includes(other))
      .map((other) => `${folder}/tsconfig.json: refers to ${other}, which its package.json does not list`),
    ...needed
      .filter((other) => !listed.includes(other))
      .map((other) => `${folder}/tsconfig.json: no reference to ${other}, which its package.json lists`),
  ];
}

function referencesOf(root, folder) {
  const { references = [] } = readJson(join(root, folder, 'tsconfig.json'));
  return references.map(({ path }) => join(folder, path));
}
