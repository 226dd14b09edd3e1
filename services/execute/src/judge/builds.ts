import { decideVerdict, isAboutProgram, type Judgement } from '@tidemark/judging';
import type { Build, LanguageProfile, SourceUnit } from '../languages/language-profile.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { BuildCache } from './build-cache.ts';

/** What became of a source. */
export type Built =
  /** `binary` is absent where the source itself runs. */
  | { readonly kind: 'ready'; readonly binary: Uint8Array | undefined }
  | { readonly kind: 'refused'; readonly judgement: Judgement };

const TRIES = 3;
/** So long a compiler that compiled a known-good program is believed. */
const BELIEVED_MS = 60_000;
const ELF = [0x7f, 0x45, 0x4c, 0x46];

/** Makes programs of sources, once per source, flags and compiler. */
export class Builds {
  private readonly running = new Map<string, Promise<Built>>();
  private readonly workedAt = new Map<string, number>();

  constructor(
    private readonly sandbox: Sandbox,
    private readonly cache: BuildCache | undefined,
  ) {}

  async of(profile: LanguageProfile, unit: SourceUnit, signal?: AbortSignal): Promise<Built> {
    if (!profile.build) return { kind: 'ready', binary: undefined };
    const build = await profile.build(unit);
    const known = await this.cache?.get(build.id);
    if (known) return { kind: 'ready', binary: known };
    let running = this.running.get(build.id);
    if (!running) {
      // Others may wait for it too: whoever gives up first does not take it from them.
      running = this.make(profile, unit, build).finally(() => this.running.delete(build.id));
      this.running.set(build.id, running);
    }
    return await unlessAborted(running, signal);
  }

  /** Compiles what is known to compile, whatever is in the cache. Undefined where it works, else what happened. */
  async trial(profile: LanguageProfile): Promise<string | undefined> {
    if (!profile.build) return undefined;
    const built = await this.compile(profile, profile.knownGood, await profile.build(profile.knownGood));
    if (built.kind === 'refused') return `${built.judgement.verdict}: ${built.judgement.detail}`;
    this.workedAt.set(profile.language, performance.now());
    return undefined;
  }

  private async make(profile: LanguageProfile, unit: SourceUnit, build: Build): Promise<Built> {
    const built = await this.compile(profile, unit, build);
    if (built.kind === 'ready' && built.binary) await this.cache?.put(build.id, built.binary);
    if (built.kind === 'ready' || !isAboutProgram(built.judgement.verdict)) return built;
    // A compiler that lost its headers, or half of itself, refuses everything, and in the words of a refusal.
    const believed =
      performance.now() - (this.workedAt.get(profile.language) ?? Number.NEGATIVE_INFINITY) < BELIEVED_MS;
    const wrong = believed ? undefined : await this.trial(profile);
    if (wrong === undefined) return built;
    return environment('sandbox_failure', `the compiler does not work: ${wrong}`);
  }

  private async compile(profile: LanguageProfile, unit: SourceUnit, build: Build): Promise<Built> {
    let last: Built = environment('sandbox_failure', 'not tried');
    for (let tries = 0; tries < TRIES; tries++) {
      last = await this.compileOnce(profile, unit, build);
      if (last.kind === 'ready' || isAboutProgram(last.judgement.verdict)) return last;
      if (last.judgement.verdict === 'cancelled') return last;
    }
    return last;
  }

  private async compileOnce(profile: LanguageProfile, unit: SourceUnit, { prepared, limits }: Build): Promise<Built> {
    const outcome = await this.sandbox.run({ ...prepared, stdin: new Uint8Array() }, limits);
    if (outcome.kind === 'sandbox_failure') return environment('sandbox_failure', outcome.reason);
    const ended = decideVerdict(outcome.facts, limits, () => ({ kind: 'right' }));
    if (!isAboutProgram(ended.verdict)) return { kind: 'refused', judgement: ended };
    const stderr = new TextDecoder().decode(outcome.stderr);
    if (ended.verdict === 'runtime_error') {
      const refusal = profile.readRefusal?.(unit, stderr);
      return { kind: 'refused', judgement: refusal ?? { verdict: 'compile_error', detail: ended.detail } };
    }
    // What the compiler was not given enough of for this source is the source's doing.
    if (ended.verdict !== 'accepted') {
      return { kind: 'refused', judgement: { verdict: 'compile_error', detail: `the compiler took ${ended.detail}` } };
    }
    if (ELF.every((byte, at) => outcome.report[at] === byte)) return { kind: 'ready', binary: outcome.report };
    return environment('sandbox_failure', 'the compiler ended well and left no program');
  }
}

function environment(verdict: 'sandbox_failure', detail: string): Built {
  return { kind: 'refused', judgement: { verdict, detail } };
}

async function unlessAborted(running: Promise<Built>, signal: AbortSignal | undefined): Promise<Built> {
  if (!signal) return await running;
  const cancelled: Built = { kind: 'refused', judgement: { verdict: 'cancelled', detail: 'the judge was stopped' } };
  let onAbort: () => void = () => undefined;
  const aborted = new Promise<Built>((resolve) => {
    onAbort = () => resolve(cancelled);
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
  });
  try {
    return await Promise.race([running, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
