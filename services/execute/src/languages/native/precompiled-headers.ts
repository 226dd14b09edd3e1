import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Sources that must ask for the same headers before these are precompiled: it costs as much as several compilations. */
const ASKED_BEFORE = 3;
const FILE = 'all.h';
const BUILD_MS = 300_000;

/**
 * Precompiled standard headers, made from nothing that anybody handed in, one folder each, bounded together. They are
 * made beside the work: who asks before they are there compiles without.
 */
export class PrecompiledHeaders {
  private readonly ready = new Set<string>();
  private readonly making = new Set<string>();
  private readonly asked = new Map<string, number>();
  private work: Promise<void> = Promise.resolve();

  private constructor(
    /** Host folder that holds them; what is inside may be read by anybody. */
    readonly folder: string,
    private readonly command: readonly [string, ...string[]],
    private readonly identity: string,
    private readonly maxBytes: number,
  ) {}

  /** @param identity names compiler and flags: a header serves no other */
  static async in(
    folder: string,
    command: readonly [string, ...string[]],
    identity: string,
    maxBytes: number,
  ): Promise<PrecompiledHeaders> {
    await mkdir(folder, { recursive: true, mode: 0o755 });
    const headers = new PrecompiledHeaders(folder, command, identity, maxBytes);
    for (const name of await readdir(folder)) {
      const made = await stat(join(folder, name, `${FILE}.gch`)).catch(() => undefined);
      if (made) headers.ready.add(name);
    }
    return headers;
  }

  /** The name of a header, relative to the folder, that stands for these, or undefined while there is none. */
  find(names: readonly string[]): string | undefined {
    if (names.length === 0) return undefined;
    const key = createHash('sha256')
      .update(JSON.stringify([this.identity, names]))
      .digest('hex')
      .slice(0, 32);
    if (this.ready.has(key)) {
      const now = new Date();
      void utimes(join(this.folder, key), now, now).catch(() => this.ready.delete(key));
      return `${key}/${FILE}`;
    }
    const count = (this.asked.get(key) ?? 0) + 1;
    this.asked.set(key, count);
    if ((names[0] === 'bits/stdc++.h' || count >= ASKED_BEFORE) && !this.making.has(key)) {
      this.making.add(key);
      this.work = this.work.then(() => this.make(key, names)).catch(() => undefined);
    }
    if (this.asked.size > 10_000) this.asked.clear();
    return undefined;
  }

  /** Resolves when what was begun is there. */
  settled(): Promise<void> {
    return this.work;
  }

  private async make(key: string, names: readonly string[]): Promise<void> {
    const [compiler, ...flags] = this.command;
    const header = join(this.folder, key, FILE);
    const unfinished = `${header}.${process.pid}`;
    await mkdir(join(this.folder, key), { recursive: true, mode: 0o755 });
    try {
      await writeFile(unfinished, names.map((name) => `#include <${name}>\n`).join(''), { mode: 0o644 });
      await rename(unfinished, header);
      const words = [...flags, '-x', 'c++-header', header, '-o', unfinished];
      await promisify(execFile)(compiler, words, { timeout: BUILD_MS });
      await this.makeRoom((await stat(unfinished)).size);
      await rename(unfinished, `${header}.gch`);
      this.ready.add(key);
    } finally {
      await rm(unfinished, { force: true });
    }
  }

  /** Removes the longest unused until there is room for another. */
  private async makeRoom(bytes: number): Promise<void> {
    const known: { key: string; usedMs: number; bytes: number }[] = [];
    for (const key of await readdir(this.folder)) {
      const [used, file] = await Promise.all([
        stat(join(this.folder, key)).catch(() => undefined),
        stat(join(this.folder, key, `${FILE}.gch`)).catch(() => undefined),
      ]);
      if (used && file) known.push({ key, usedMs: used.mtimeMs, bytes: file.size });
    }
    known.sort((a, b) => a.usedMs - b.usedMs);
    let total = known.reduce((sum, one) => sum + one.bytes, bytes);
    for (const one of known) {
      if (total <= this.maxBytes) return;
      this.ready.delete(one.key);
      // The header itself stays: who was just told its name compiles with that, only slower.
      await rm(join(this.folder, one.key, `${FILE}.gch`), { force: true });
      total -= one.bytes;
    }
  }
}
