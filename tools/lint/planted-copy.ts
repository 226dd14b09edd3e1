import { cpSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';

export const REPOSITORY = resolve(import.meta.dirname, '..', '..');
const LEFT_OUT = new Set(['node_modules', 'dist', '.git', '.nx', '.tidemark', 'generated']);

/** A copy of the repository's sources in a temporary folder, for a fault to be planted in. */
export class PlantedCopy {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), 'tidemark-planted-')));

  /** @param packages false leaves the workspace's folders out: no project is left */
  constructor({ packages }: { readonly packages: boolean }) {
    const folders = readdirSync(REPOSITORY, { withFileTypes: true }).filter((entry) => !LEFT_OUT.has(entry.name));
    for (const { name } of folders) {
      if (!packages && ['proto', 'libs', 'services', 'clients'].includes(name)) continue;
      cpSync(join(REPOSITORY, name), join(this.root, name), {
        recursive: true,
        filter: (path) => path.includes('/src/generated') || !LEFT_OUT.has(basename(path)),
      });
    }
    this.#linkPackages();
  }

  /** Writes a file into the copy. */
  write(path: string, content: string): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true });
    writeFileSync(join(this.root, path), content);
  }

  /** A new package in the copy, with one tag, reachable under its name. */
  addPackage(folder: string, layer: string, dependencies: readonly string[] = []): void {
    const name = `@tidemark/${basename(folder)}`;
    const manifest = {
      name,
      version: '0.1.0',
      private: true,
      type: 'module',
      exports: { '.': { '@tidemark/source': './src/index.ts' } },
      nx: { tags: [`layer:${layer}`] },
      dependencies: Object.fromEntries(dependencies.map((dependency) => [dependency, '0.1.0'])),
    };
    this.write(`${folder}/package.json`, JSON.stringify(manifest));
    this.write(`${folder}/tsconfig.json`, '{}');
    this.write(`${folder}/src/index.ts`, `export const name = '${name}';\n`);
    symlinkSync(join(this.root, folder), join(this.root, 'node_modules', name));
  }

  /** Third-party packages by links; our own must lead into the copy. */
  #linkPackages(): void {
    const modules = join(REPOSITORY, 'node_modules');
    mkdirSync(join(this.root, 'node_modules', '@tidemark'), { recursive: true });
    for (const name of readdirSync(modules)) {
      if (name !== '@tidemark') symlinkSync(join(modules, name), join(this.root, 'node_modules', name));
    }
    for (const name of readdirSync(join(modules, '@tidemark'))) {
      const folder = realpathSync(join(modules, '@tidemark', name)).slice(REPOSITORY.length + 1);
      symlinkSync(join(this.root, folder), join(this.root, 'node_modules', '@tidemark', name));
    }
  }
}
