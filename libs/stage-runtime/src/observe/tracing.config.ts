import { z } from 'zod';

/** Blank counts as not set, as OpenTelemetry has it. */
const text = z
  .string()
  .optional()
  .transform((value) => (value?.trim() === '' ? undefined : value?.trim()));

/**
 * The settings of OpenTelemetry that we read ourselves; the exporter reads the rest of `OTEL_EXPORTER_OTLP_*` (headers,
 * time-out, compression) by itself.
 */
const schema = z.object({
  OTEL_SDK_DISABLED: text,
  OTEL_TRACES_EXPORTER: text,
  OTEL_EXPORTER_OTLP_ENDPOINT: text,
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: text,
  OTEL_TRACES_SAMPLER: text.pipe(
    z
      .enum(['always_on', 'parentbased_always_on', 'traceidratio', 'parentbased_traceidratio'])
      .default('parentbased_always_on'),
  ),
  OTEL_TRACES_SAMPLER_ARG: text.transform((value) => Number(value ?? 1)).pipe(z.number().min(0).max(1)),
});

export interface TracingConfig {
  /** Where spans are sent, with its path. */
  readonly url: string;
  /** Share of the traces that begin here which are kept, 0 to 1. */
  readonly share: number;
  /** Keep to what the cause's trace says. */
  readonly parentBased: boolean;
}

/**
 * Undefined: traces are off, which they are unless an OTLP endpoint is named, or the exporter is (`OTEL_TRACES_EXPORTER=otlp`,
 * which means `http://localhost:4318`).
 *
 * @throws Error naming the variables that can't be used
 */
export function readTracingConfig(
  env: Readonly<Record<string, string | undefined>> = process.env,
): TracingConfig | undefined {
  const parsed = schema.safeParse(env);
  if (!parsed.success) {
    throw new Error(parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '));
  }
  const settings = parsed.data;
  if (settings.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || settings.OTEL_TRACES_EXPORTER === 'none')
    return undefined;
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: whole } = settings;
  if (settings.OTEL_TRACES_EXPORTER !== 'otlp' && base === undefined && whole === undefined) return undefined;
  return {
    url: whole ?? `${(base ?? 'http://localhost:4318').replace(/\/+$/, '')}/v1/traces`,
    share: settings.OTEL_TRACES_SAMPLER.endsWith('traceidratio') ? settings.OTEL_TRACES_SAMPLER_ARG : 1,
    parentBased: settings.OTEL_TRACES_SAMPLER.startsWith('parentbased'),
  };
}
