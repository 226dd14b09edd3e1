import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** When full, it is emptied to this share, so that not every further binary has to look for room. */
const KEPT_SHARE = 0.8;
const DIGEST_BYTES = 32;

/**
 * Compiled programs by id, on disk, bounded in bytes; the longest unused leave first. Whatever can't be read, or is not
 * what was written, was never there. Several processes may share a folder.
 */
export class BuildCache {
  private bytes: number | undefined;
  private clearing: Promise<void> | undefined;

  /** @param folder private to the service: what lies in it is run as a submission's binary */
  constructor(
    private readonly folder: string,
    private readonly maxBytes: number,
  ) {}

  async get(id: string): Promise<Uint8Array | undefined> {
    const path = join(this.folder, id);
    try {
      const stored = await readFile(path);
      const content = stored.subarray(DIGEST_BYTES);
      if (!stored.subarray(0, DIGEST_BYTES).equals(digestOf(content))) {
        await rm(path, { force: true });
        return undefined;
      }
      const now = new Date();
      await utimes(path, now, now).catch(() => undefined);
      return content;
    } catch {
      return undefined;
    }
  }

  /** Keeps a binary; a disk that refuses costs a compilation later, and nothing now. */
  async put(id: string, content: Uint8Array): Promise<void> {
    const unfinished = join(this.folder, `.${id}-${process.pid}`);
    try {
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
      await writeFile(unfinished, Buffer.concat([digestOf(content), content]), { mode: 0o600 });
      // Counted with the file that is not in its place yet.
      this.bytes = this.bytes === undefined ? await this.sum() : this.bytes + content.length + DIGEST_BYTES;
      await rename(unfinished, join(this.folder, id));
      if (this.bytes > this.maxBytes) {
        this.clearing ??= this.clear().finally(() => {
          this.clearing = undefined;
        });
        await this.clearing;
      }
    } catch {
      await rm(unfinished, { force: true }).catch(() => undefined);
    }
  }

  private async entries() {
    const names = await readdir(this.folder);
    const found = names.map(async (name) => {
      const file = await stat(join(this.folder, name)).catch(() => undefined);
      return file ? [{ path: join(this.folder, name), bytes: file.size, usedMs: file.mtimeMs }] : [];
    });
    return (await Promise.all(found)).flat();
  }

  private async sum(): Promise<number> {
    return (await this.entries()).reduce((total, { bytes }) => total + bytes, 0);
  }

  private async clear(): Promise<void> {
    const entries = (await this.entries()).sort((a, b) => a.usedMs - b.usedMs);
    let total = entries.reduce((sum, { bytes }) => sum + bytes, 0);
    for (const { path, bytes } of entries) {
      if (total <= this.maxBytes * KEPT_SHARE) break;
      await rm(path, { force: true });
      total -= bytes;
    }
    this.bytes = total;
  }
}

function digestOf(content: Uint8Array): Buffer {
  return createHash('sha256').update(content).digest();
}
