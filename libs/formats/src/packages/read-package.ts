import type { Fault } from '../faults.ts';
import { readKattis } from './kattis/read-kattis.ts';
import { readLibraryChecker } from './library-checker.ts';
import { readPolygon } from './polygon/read-polygon.ts';
import {
  type PackageFiles,
  type PackageOptions,
  PackageRefusal,
  type ProblemPackageFormat,
  type ReadPackage,
} from './problem-package.ts';

/** The file by which a package is known, and what reads it. */
const FORMATS: readonly {
  readonly format: ProblemPackageFormat;
  readonly marker: string;
  readonly read: (given: PackageFiles, options: PackageOptions) => ReadPackage & { kind: 'package' };
}[] = [
  { format: 'kattis', marker: 'problem.yaml', read: readKattis },
  { format: 'polygon', marker: 'problem.xml', read: readPolygon },
  { format: 'library-checker', marker: 'info.toml', read: readLibraryChecker },
];

/** Reads a problem package: as it lies, or in the one folder that an archive holds. Pure; runs nothing of it. */
export function readPackage(given: PackageFiles, options: PackageOptions = {}): ReadPackage {
  try {
    const found = FORMATS.flatMap(({ marker, read }) => rootsOf(given, marker).map((root) => ({ root, read })));
    const [first, ...others] = found;
    if (first === undefined) return refused(nothingKnown(given));
    if (others.length > 0) return refused(severalPackages(found.map(({ root }) => root || given.name)));
    return first.read(within(given, first.root), options);
  } catch (error) {
    if (error instanceof PackageRefusal) return { kind: 'refused', faults: error.faults };
    throw error;
  }
}

/** Folders that hold the marker, empty for the package itself; what lies deeper is part of a package. */
function rootsOf({ files }: PackageFiles, marker: string): readonly string[] {
  if (files.has(marker)) return [''];
  const roots: string[] = [];
  for (const path of files.keys()) {
    const parts = path.split('/');
    if (parts.length === 2 && parts[1] === marker) roots.push(parts[0] as string);
  }
  return roots;
}

function within({ name, files }: PackageFiles, root: string): PackageFiles {
  if (root === '') return { name, files };
  const prefix = `${root}/`;
  const inside = [...files].filter(([path]) => path.startsWith(prefix));
  return { name: root, files: new Map(inside.map(([path, bytes]) => [path.slice(prefix.length), bytes])) };
}

const refused = (fault: Fault): ReadPackage => ({ kind: 'refused', faults: [fault] });

const nothingKnown = ({ files }: PackageFiles): Fault => ({
  code: 'unknown_format',
  field: '',
  reason: `is no problem package: none of its ${files.size} files is ${FORMATS.map(({ marker }) => marker).join(', ')}`,
  advice: 'Give the folder (or an archive of it) in which that file lies',
});

const severalPackages = (names: readonly string[]): Fault => ({
  code: 'contradiction',
  field: '',
  reason: `holds ${names.length} packages: ${names.slice(0, 5).join(', ')}${names.length > 5 ? ' …' : ''}`,
  advice: 'Offer them one by one',
});
