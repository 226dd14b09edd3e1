import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultLimits, type Limits, type RunFacts } from '@tidemark/judging';
import type { SlotMeter } from './accounting.ts';
import { V1Meter, V2Meter } from './cgroup-meter.ts';
import { memoryKillOfV1, memoryKillOfV2 } from './memory-kill.ts';
import { readKernelFile } from './tasks.ts';

/** While the interpreter starts. */
const STARTING: Limits = { ...defaultLimits, memoryBytes: 512 * 1024 * 1024, processes: 64 };
/** Process 1 of a run, which is the keeper's. */
const KEEPERS_OF_A_RUN = 1;

/** A slot in cgroup v1: its peak starts anew with each run. */
export class V1SlotMeter extends V1Meter implements SlotMeter {
  private own = new Set<number>();
  private ownBytes = 0;
  private cpuMs = 0;
  private control = '';

  constructor(groups: readonly string[]) {
    super(groups, STARTING);
  }

  settle(): void {
    this.own = new Set(super.tasks());
    this.ownBytes = Number(this.read('memory.usage_in_bytes'));
  }

  begin(limits: Limits): void {
    this.limit(limits.memoryBytes + this.ownBytes, limits.processes + this.own.size + KEEPERS_OF_A_RUN);
    writeFileSync(join(this.controller('memory'), 'memory.max_usage_in_bytes'), '0');
    this.control = this.read('memory.oom_control');
    this.longestWaitMs = 0;
    this.cpuMs = super.cpuTimeMs();
  }

  isClean(): boolean {
    return this.tasks().length === 0;
  }

  override cpuTimeMs(): number {
    return super.cpuTimeMs() - this.cpuMs;
  }

  override memoryPeakBytes(): number {
    return Math.max(0, super.memoryPeakBytes() - this.ownBytes);
  }

  override memoryKill(): RunFacts['memoryKill'] {
    const [peak, limit] = [this.read('memory.max_usage_in_bytes'), this.read('memory.limit_in_bytes')];
    return memoryKillOfV1(this.read('memory.oom_control'), peak, limit, this.control);
  }

  protected override tasks(): number[] {
    return super.tasks().filter((task) => !this.own.has(task));
  }

  private read(file: string): string {
    return readKernelFile(join(this.controller('memory'), file)) ?? '';
  }
}

/** A slot in cgroup v2: the kernel's peak can't be reset everywhere, so the highest of the readings stands for it. */
export class V2SlotMeter extends V2Meter implements SlotMeter {
  private own = new Set<number>();
  private ownBytes = 0;
  private peakBytes = 0;
  private cpuMs = 0;
  private events = '';

  constructor(groups: readonly string[]) {
    super(groups, STARTING);
  }

  settle(): void {
    this.own = new Set(super.tasks());
    this.ownBytes = this.current();
  }

  begin(limits: Limits): void {
    this.limit(limits.memoryBytes + this.ownBytes, limits.processes + this.own.size + KEEPERS_OF_A_RUN);
    this.events = this.readEvents();
    this.longestWaitMs = 0;
    this.peakBytes = 0;
    this.cpuMs = super.cpuTimeMs();
  }

  isClean(): boolean {
    return this.tasks().length === 0;
  }

  override cpuTimeMs(): number {
    this.peakBytes = Math.max(this.peakBytes, this.current());
    return super.cpuTimeMs() - this.cpuMs;
  }

  override memoryPeakBytes(): number {
    return Math.max(0, this.peakBytes - this.ownBytes);
  }

  override memoryKill(): RunFacts['memoryKill'] {
    return memoryKillOfV2(this.readEvents(), this.events);
  }

  protected override tasks(): number[] {
    return super.tasks().filter((task) => !this.own.has(task));
  }

  private current(): number {
    return Number(readKernelFile(join(this.group, 'memory.current')) ?? 0);
  }

  private readEvents(): string {
    const local = readKernelFile(join(this.group, 'memory.events.local'));
    return local ?? readKernelFile(join(this.group, 'memory.events')) ?? '';
  }
}
