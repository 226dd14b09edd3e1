/** Files of folders and archives, from whoever sent them: bounded, and never a path or a link that leads out. */
export { ArchiveError } from './archive-error.ts';
export { defaultBounds, type PackageBounds } from './bounds.ts';
export { packFiles } from './pack-files.ts';
export { type ArchiveKind, archiveKindOf, readArchive } from './read-archive.ts';
export { readFolder } from './read-folder.ts';
