import {
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
} from '@nestjs/common';
import { DependencyFault, InjectConfig, InjectLogger, StageReadiness } from '@tidemark/stage-runtime';
import type { Logger } from 'pino';
import type { ExecuteConfig } from '../execute.config.ts';
import type { Judge } from '../judge/judge.ts';
import { type OpenedJudge, openJudge } from '../judge/open-judge.ts';
import { detectLanguages, KNOWN_LANGUAGES, type LanguageOptions } from '../languages/detect-languages.ts';
import type { LanguageProfile } from '../languages/language-profile.ts';
import { Slots } from './slots.ts';

/** How often a sandbox that could not be set up, or a language that is missing, is tried again. */
const RETRY_MS = 30_000;

/**
 * The judge of this process. Isolation is tried at start; while it can't be had the service is not ready, and whoever
 * asks for the judge is told to wait.
 */
@Injectable()
export class JudgeHost implements OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown {
  private opened: Extract<OpenedJudge, { kind: 'open' }> | undefined;
  private judge: Judge | undefined;
  private reason = 'the sandbox has not been tried yet';
  private trying: Promise<void> | undefined;
  private lacksLanguage = false;
  /** Languages whose compiler is there and was tried in vain. */
  private broken: ReadonlySet<string> = new Set();
  private triedAt = Number.NEGATIVE_INFINITY;
  private readonly slots: Slots;

  constructor(
    @InjectConfig() private readonly config: ExecuteConfig,
    @InjectLogger() private readonly logger: Logger,
    private readonly readiness: StageReadiness,
  ) {
    this.slots = new Slots(config.workers);
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.tryOnce();
  }

  /**
   * Works with the judge in one of the places that the configuration gives; the urgent come first.
   *
   * @throws DependencyFault while there is no isolation
   */
  async use<T>(urgency: 'urgent' | 'ordinary', work: (judge: Judge) => Promise<T>): Promise<T> {
    const judge = await this.ready();
    return await this.slots.within(urgency, () => work(judge));
  }

  /** Whether a language can be judged here. @throws DependencyFault while there is no isolation */
  async speaks(language: string): Promise<boolean> {
    return (await this.ready()).speaks(language);
  }

  /** Languages judged here now; none while there is no isolation. Looks again, for later, for what is missing. */
  languages(): readonly string[] {
    if (this.isDue()) void this.tryOnce();
    return this.judge?.languages ?? [];
  }

  async onModuleDestroy(): Promise<void> {
    await this.close();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.close();
  }

  private async ready(): Promise<Judge> {
    if (this.isDue()) await this.tryOnce();
    if (this.judge === undefined) throw new DependencyFault('sandbox', this.reason);
    return this.judge;
  }

  private isDue(): boolean {
    const isComplete = this.judge !== undefined && !this.lacksLanguage;
    return !isComplete && performance.now() - this.triedAt > RETRY_MS;
  }

  private tryOnce(): Promise<void> {
    this.trying ??= this.tryIsolation().finally(() => {
      this.trying = undefined;
      this.triedAt = performance.now();
    });
    return this.trying;
  }

  private async tryIsolation(): Promise<void> {
    // What was missing before may be there now; where nothing new is, what runs goes on.
    if (this.judge && !(await this.hasMoreLanguages(this.judge))) return;
    // Two sandboxes of one process would share users and control groups. What runs in the old one is run again.
    await this.close();
    const { config } = this;
    const opened = await openJudge({
      ...this.languageOptions(),
      interpreters: config.interpreters,
      buildFolder: config.buildFolder,
      maxBuildBytes: config.maxBuildBytes,
      firstUid: config.firstUid,
      ...(config.bwrap === '' ? {} : { bwrap: config.bwrap }),
      ...(config.accounting === 'auto' ? {} : { accounting: config.accounting }),
      onCold: (reason) => {
        this.logger.warn({ reason }, 'a test gets a process of its own: none could be had to wait');
      },
    });
    this.tell(opened.languages, opened.kind === 'open' ? opened.broken : []);
    if (opened.kind === 'closed') {
      this.reason = `programs can't be isolated here: ${opened.reason}`;
      this.readiness.set('sandbox', this.reason);
      this.logger.warn({ reason: opened.reason }, 'no sandbox: nothing is judged');
      return;
    }
    this.opened = opened;
    this.judge = opened.judge;
    this.readiness.clear('sandbox');
    const { isolation, accounting } = opened.report;
    const versions = opened.languages.map(({ version }) => version);
    this.logger.info({ isolation, accounting, languages: versions, judgeVersion: this.judge.version }, 'judging');
  }

  private languageOptions(): LanguageOptions {
    const { python, cc, cxx, maxBuildBytes } = this.config;
    return { python, maxHeaderBytes: maxBuildBytes, ...(cc === '' ? {} : { cc }), ...(cxx === '' ? {} : { cxx }) };
  }

  private async hasMoreLanguages(judge: Judge): Promise<boolean> {
    const languages = await detectLanguages(this.languageOptions());
    return languages.some(({ language }) => !judge.speaks(language) && !this.broken.has(language));
  }

  /** Python is expected everywhere; without a compiler only what needs one waits. */
  private tell(
    languages: readonly LanguageProfile[],
    broken: readonly { readonly language: string; readonly reason: string }[],
  ): void {
    this.broken = new Set(broken.map(({ language }) => language));
    for (const { language, reason } of broken) {
      this.logger.warn({ language, reason }, 'language missing: its compiler does not work in the sandbox');
    }
    const missing = KNOWN_LANGUAGES.filter((known) => !languages.some(({ language }) => language === known));
    this.lacksLanguage = missing.length > 0;
    for (const language of missing) this.logger.warn({ language }, 'language missing: its problems and groups wait');
    if (!missing.includes('python')) this.readiness.clear('languages');
    else {
      const reason = `language missing: python (no interpreter of 3.8 or later at ${this.config.python}); its problems and groups wait`;
      this.readiness.set('languages', reason);
    }
  }

  private async close(): Promise<void> {
    const { opened } = this;
    this.opened = undefined;
    this.judge = undefined;
    await opened?.close();
  }
}
