import { readTracingConfig } from './tracing.config.ts';

/** What a piece of work is in a trace. */
export type HopKind = 'consumer' | 'producer' | 'internal';

/** One piece of work of a trace. What is never ended is never exported: work that was rolled back leaves nothing. */
export interface Hop {
  /** W3C trace context that what follows from this work carries on. */
  readonly traceparent: string;
  /** @param fault what went wrong, where something did */
  end(fault?: string): void;
}

/** Where a service's traces go. Undefined in its place: they are off, and nothing of OpenTelemetry is loaded. */
export interface Tracing {
  /**
   * Begins a piece of work.
   *
   * @param cause trace context of what caused it; a new trace begins without one
   */
  hop(name: string, kind: HopKind, cause: string | undefined, attributes: Readonly<Record<string, string>>): Hop;
  /** Sends what is not sent yet. */
  close(): Promise<void>;
}

/**
 * The traces of a service as `OTEL_*` wants them; undefined when it does not.
 *
 * @param warn told when spans cannot be sent
 * @throws Error for settings that can't be used
 */
export async function openTracing(
  service: string,
  warn: (message: string) => void = () => undefined,
  env?: Readonly<Record<string, string | undefined>>,
): Promise<Tracing | undefined> {
  const config = readTracingConfig(env);
  if (config === undefined) return undefined;
  const { exportingTracing } = await import('./open-telemetry.ts');
  return exportingTracing(service, config, warn);
}
