import { create } from '@bufbuild/protobuf';
import { defaultLimits, type Limits } from '@tidemark/judging';
import { type Limits as WireLimits, LimitsSchema } from '@tidemark/proto';

/** Wall time allowed where only CPU time is stated: waiting must not decide, sleeping for ever must. */
const WALL_FACTOR = 3;

/** Limits in force: what the problem states, else the judge's defaults. */
export function toLimits(stated: WireLimits | undefined): Limits {
  const cpuTimeMs = stated?.cpuTimeMs || defaultLimits.cpuTimeMs;
  const wallTimeMs = stated?.wallTimeMs || Math.max(defaultLimits.wallTimeMs, cpuTimeMs * WALL_FACTOR);
  return {
    ...defaultLimits,
    cpuTimeMs,
    wallTimeMs,
    memoryBytes: Number(stated?.memoryBytes ?? 0n) || defaultLimits.memoryBytes,
    outputBytes: Number(stated?.outputBytes ?? 0n) || defaultLimits.outputBytes,
  };
}

export function toWireLimits({ cpuTimeMs, wallTimeMs, memoryBytes, outputBytes }: Limits): WireLimits {
  const [memory, output] = [BigInt(memoryBytes), BigInt(outputBytes)];
  return create(LimitsSchema, { cpuTimeMs, wallTimeMs, memoryBytes: memory, outputBytes: output });
}
