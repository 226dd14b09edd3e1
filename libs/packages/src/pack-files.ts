import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import type { PackageFiles } from '@tidemark/formats';

/** Equal whenever it is packed, so that the same folder is the same upload. */
const WHEN = new Date(0);

/** A gzipped tar of one folder, the same bytes for the same files. */
export async function packFiles({ name, files }: PackageFiles): Promise<Uint8Array> {
  const tar = pack();
  const written = (async () => {
    for (const [path, content] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) {
      await new Promise<void>((resolve, reject) => {
        const entry = { name: `${name}/${path}`, mtime: WHEN, mode: 0o644, size: content.length };
        tar.entry(entry, Buffer.from(content), (error) => (error ? reject(error) : resolve()));
      });
    }
    tar.finalize();
  })();
  const chunks: Uint8Array[] = [];
  for await (const chunk of tar) chunks.push(chunk as Uint8Array);
  await written;
  return gzipSync(Buffer.concat(chunks));
}
