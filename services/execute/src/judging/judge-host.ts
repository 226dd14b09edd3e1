import {
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
} from '@nestjs/common';
import { DependencyFault, InjectConfig, InjectLogger, StageReadiness } from '@tidemark/stage-runtime';
import type { Logger } from 'pino';
import type { ExecuteConfig } from '../execute.config.ts';
import { Judge } from '../judge/judge.ts';
import type { LanguageProfile } from '../languages/language-profile.ts';
import { PythonProfile } from '../languages/python/python-profile.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { WarmSandbox } from '../sandbox/warm/warm-sandbox.ts';
import { Slots } from './slots.ts';

/** How often a sandbox that could not be set up, or a language that is missing, is tried again. */
const RETRY_MS = 30_000;

/**
 * The judge of this process. Isolation is tried at start; while it can't be had the service is not ready, and whoever
 * asks for the judge is told to wait.
 */
@Injectable()
export class JudgeHost implements OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown {
  private sandbox: Sandbox | undefined;
  private judge: Judge | undefined;
  private reason = 'the sandbox has not been tried yet';
  private trying: Promise<void> | undefined;
  private lacksLanguage = false;
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
    const languages = await this.detectLanguages();
    if (this.judge && languages.every(({ language }) => this.judge?.speaks(language))) return;
    // Two sandboxes of one process would share users and control groups. What runs in the old one is run again.
    await this.close();
    const options = {
      readOnlyFolders: languages.flatMap(({ readOnlyFolders }) => readOnlyFolders),
      firstUid: this.config.firstUid,
      ...(this.config.bwrap === '' ? {} : { bwrap: this.config.bwrap }),
      ...(this.config.accounting === 'auto' ? {} : { accounting: this.config.accounting }),
    };
    const waiting = languages.flatMap(({ warm }) => (warm && this.config.interpreters === 'warm' ? [warm] : []));
    const sandbox = new WarmSandbox(options, waiting, (reason) => {
      this.logger.warn({ reason }, 'a test gets an interpreter of its own: none could be had to wait');
    });
    const report = await sandbox.check();
    if (!report.ready) {
      await sandbox.close();
      this.reason = `programs can't be isolated here: ${report.reason}`;
      this.readiness.set('sandbox', this.reason);
      this.logger.warn({ reason: report.reason }, 'no sandbox: nothing is judged');
      return;
    }
    this.sandbox = sandbox;
    this.judge = new Judge(sandbox, languages);
    this.readiness.clear('sandbox');
    const { isolation, accounting } = report;
    const versions = languages.map(({ version }) => version);
    this.logger.info({ isolation, accounting, languages: versions, judgeVersion: this.judge.version }, 'judging');
  }

  private async detectLanguages(): Promise<LanguageProfile[]> {
    const python = await PythonProfile.detect(this.config.python);
    this.lacksLanguage = python === undefined;
    if (python) this.readiness.clear('languages');
    else {
      const reason = `language missing: python (no interpreter of 3.8 or later at ${this.config.python}); its problems and groups wait`;
      this.readiness.set('languages', reason);
      this.logger.warn({ python: this.config.python }, 'language missing: its problems and groups wait');
    }
    return python ? [python] : [];
  }

  private async close(): Promise<void> {
    const sandbox = this.sandbox;
    this.sandbox = undefined;
    this.judge = undefined;
    await sandbox?.close();
  }
}
