import {
  type Attributes,
  DiagLogLevel,
  diag,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type SpanProcessor,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Hop, HopKind, Tracing } from './tracing.ts';
import type { TracingConfig } from './tracing.config.ts';

const KINDS: Readonly<Record<HopKind, SpanKind>> = {
  consumer: SpanKind.CONSUMER,
  producer: SpanKind.PRODUCER,
  internal: SpanKind.INTERNAL,
};
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** Traces that go to the OTLP endpoint of the environment, in batches; what it does not take is dropped, never waited for. */
export function exportingTracing(service: string, config: TracingConfig, warn: (message: string) => void): Tracing {
  // Once a process: the SDK's own words have no other way out.
  const says = (message: string) => warn(message.slice(0, 500));
  diag.setLogger({ error: says, warn: says, info: says, debug: says, verbose: says }, DiagLogLevel.WARN);
  const exporter = new OTLPTraceExporter({ url: config.url });
  return tracingBy(service, config, new BatchSpanProcessor({ exporter }));
}

function tracingBy(service: string, { share, parentBased }: TracingConfig, processor: SpanProcessor): Tracing {
  const root = share < 1 ? new TraceIdRatioBasedSampler(share) : new AlwaysOnSampler();
  const provider = new TracerProvider({
    // The variables have the last word over our own name.
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': `tidemark-${service}`, 'service.namespace': 'tidemark' }))
      .merge(detectResources({ detectors: [envDetector] })),
    sampler: parentBased ? new ParentBasedSampler({ root }) : root,
    spanProcessors: [processor],
  });
  return new OpenTelemetryTracing(provider, provider.getTracer('tidemark'));
}

class OpenTelemetryTracing implements Tracing {
  constructor(
    private readonly provider: TracerProvider,
    private readonly tracer: Tracer,
  ) {}

  hop(name: string, kind: HopKind, cause: string | undefined, attributes: Attributes): Hop {
    const span = this.tracer.startSpan(name, { kind: KINDS[kind], attributes }, contextOf(cause));
    const { traceId, spanId, traceFlags } = span.spanContext();
    return {
      traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
      end: (fault) => {
        if (fault !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: fault });
        span.end();
      },
    };
  }

  async close(): Promise<void> {
    // A collector that is away has cost nothing so far, and does not now.
    await this.provider.shutdown().catch(() => undefined);
  }
}

/** A cause whose trace context can't be read begins a new trace. */
function contextOf(cause: string | undefined) {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(cause ?? '') ?? [];
  if (traceId === undefined || spanId === undefined) return ROOT_CONTEXT;
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags ?? '01', 16),
    isRemote: true,
  });
}
