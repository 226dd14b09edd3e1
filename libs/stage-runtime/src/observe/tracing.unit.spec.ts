import { describe, expect, it } from 'vitest';
import { openTracing } from './tracing.ts';
import { readTracingConfig } from './tracing.config.ts';

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/' };

describe('traces', () => {
  it('are off unless OpenTelemetry is told where to send them', async () => {
    expect(await openTracing('score', undefined, {})).toBeUndefined();
    expect(readTracingConfig({ OTEL_SERVICE_NAME: 'x', OTEL_EXPORTER_OTLP_ENDPOINT: ' ' })).toBeUndefined();
    expect(readTracingConfig({ ...ENDPOINT, OTEL_SDK_DISABLED: 'true' })).toBeUndefined();
    expect(readTracingConfig({ ...ENDPOINT, OTEL_TRACES_EXPORTER: 'none' })).toBeUndefined();
  });

  it('go where the variables say', () => {
    expect(readTracingConfig({ OTEL_TRACES_EXPORTER: 'otlp' })?.url).toBe('http://localhost:4318/v1/traces');
    expect(readTracingConfig(ENDPOINT)?.url).toBe('http://collector:4318/v1/traces');
    const whole = { ...ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://other/in' };
    expect(readTracingConfig(whole)?.url).toBe('http://other/in');
  });

  it('are sampled as the variables say', () => {
    expect(readTracingConfig(ENDPOINT)).toMatchObject({ share: 1, parentBased: true });
    const sampled = { ...ENDPOINT, OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.1' };
    expect(readTracingConfig(sampled)).toMatchObject({ share: 0.1, parentBased: false });
  });

  it('name what cannot be used', () => {
    const wrong = { ...ENDPOINT, OTEL_TRACES_SAMPLER: 'jaeger_remote', OTEL_TRACES_SAMPLER_ARG: '7' };
    expect(() => readTracingConfig(wrong)).toThrow(/OTEL_TRACES_SAMPLER: .*OTEL_TRACES_SAMPLER_ARG: /);
  });
});
