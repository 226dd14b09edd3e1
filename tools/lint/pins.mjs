import { dependenciesOf, readWorkspace } from './workspace.mjs';

const EXACT = /^\d+\.\d+\.\d+(-[\w.]+)?$/;

/** Every version is exact, one package has one version, and third-party packages stand at the root too (one copy). */
export async function checkPins({ root }) {
  const { manifest, packages } = readWorkspace(root);
  const own = new Map(packages.map(({ name, manifest }) => [name, manifest.version]));
  const atRoot = new Map(dependenciesOf(manifest).map(({ name, version }) => [name, version]));
  return [{ folder: '.', manifest }, ...packages].flatMap(({ folder, manifest }) =>
    dependenciesOf(manifest).flatMap(({ name, version }) => {
      const wanted = own.get(name) ?? atRoot.get(name);
      if (!EXACT.test(version)) return [`${folder}/package.json: ${name} is not pinned exactly: ${version}`];
      if (wanted === undefined) return [`${folder}/package.json: ${name} must also stand in the root's package.json`];
      return wanted === version ? [] : [`${folder}/package.json: ${name} is ${version} here and ${wanted} elsewhere`];
    }),
  );
}
