import { LAYERS, readWorkspace } from './workspace.mjs';

/** Nx sees every package, each has exactly one known layer tag, and each follows the naming convention. */
export async function checkProjects({ root, run }) {
  const { packages } = readWorkspace(root);
  const { code, stdout, output } = await run('nx', ['show', 'projects', '--json']);
  if (code !== 0) return [`nx show projects failed:\n${output}`];
  const seen = new Set(JSON.parse(stdout));
  if (seen.size === 0) return ['nx show projects lists no project'];
  return packages.flatMap(({ folder, name, layers, manifest }) => [
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
  ]);
}
