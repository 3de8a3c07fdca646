/**
 * Spans and measurements by the API of OpenTelemetry: what an SDK, or Deno by itself (`OTEL_DENO=true`), exports.
 *
 * @module
 */

import {
  type Attributes as ApiAttributes,
  context,
  type Histogram,
  metrics,
  propagation,
  type Span as ApiSpan,
  SpanKind as ApiSpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import {
  type Attributes,
  errorType,
  type GaugeName,
  GAUGES,
  type HistogramName,
  HISTOGRAMS,
  NO_SPAN,
  type Observation,
  type Span,
  type SpanKind,
  type SpanOptions,
  type Telemetry,
  timed,
} from "./telemetry.ts";

const KINDS: Readonly<Record<SpanKind, ApiSpanKind>> = {
  internal: ApiSpanKind.INTERNAL,
  server: ApiSpanKind.SERVER,
  client: ApiSpanKind.CLIENT,
  producer: ApiSpanKind.PRODUCER,
  consumer: ApiSpanKind.CONSUMER,
};

/**
 * Tells OpenTelemetry.
 *
 * @param name name of the application: the scope of its spans
 * @param version its version
 */
export function createOpenTelemetry(name: string, version?: string): Telemetry {
  const tracer = trace.getTracer(name, version);
  const meter = metrics.getMeter(name, version);
  const histograms = new Map<HistogramName, Histogram>();
  return {
    span(spanName, options, work) {
      const { kind = "internal", attributes, isPart } = options;
      const around = trace.getActiveSpan();
      if (around === undefined && isPart) return work(NO_SPAN);
      if (around !== undefined && kind === "server") return work(adopted(around, spanName, attributes));
      const parent = parentOf(options);
      const span = tracer.startSpan(
        spanName,
        { kind: KINDS[kind], attributes: attributes as ApiAttributes },
        parent,
      );
      return context.with(
        trace.setSpan(parent, span),
        () => timed(() => work(new OpenSpan(span)), (_, error) => endSpan(span, error)),
      );
    },
    headers() {
      const carrier: Record<string, string> = {};
      propagation.inject(context.active(), carrier);
      return carrier;
    },
    record(metric, seconds, attributes) {
      let histogram = histograms.get(metric);
      if (histogram === undefined) {
        const { description, unit, buckets } = HISTOGRAMS[metric];
        const advice = { explicitBucketBoundaries: [...buckets] };
        histograms.set(metric, histogram = meter.createHistogram(metric, { description, unit, advice }));
      }
      histogram.record(seconds, attributes as ApiAttributes);
    },
    observe(metric: GaugeName, read: () => Promise<readonly Observation[]>) {
      const { description, unit } = GAUGES[metric];
      meter.createObservableGauge(metric, { description, unit }).addCallback(async (result) => {
        for (const { value, attributes } of await read()) result.observe(value, attributes as ApiAttributes);
      });
    },
  };
}

/** A server that begins spans by itself, as that of Deno does, ends them, too. */
function adopted(span: ApiSpan, name: string, attributes: Attributes = {}): Span {
  const open = new OpenSpan(span);
  open.rename(name);
  open.set(attributes);
  return open;
}

/** The context a span begins in: the current one, or that of the headers. */
function parentOf({ parent }: SpanOptions): ReturnType<typeof context.active> {
  const active = context.active();
  if (parent === undefined || trace.getSpan(active) !== undefined) return active;
  return propagation.extract(active, parent, {
    get: (headers, name) => headers(name),
    keys: () => [],
  });
}

class OpenSpan implements Span {
  readonly #span: ApiSpan;

  constructor(span: ApiSpan) {
    this.#span = span;
  }

  set(attributes: Attributes): void {
    this.#span.setAttributes(attributes as ApiAttributes);
  }

  rename(name: string): void {
    this.#span.updateName(name);
  }

  fail(type: string): void {
    this.#span.setAttribute("error.type", type);
    this.#span.setStatus({ code: SpanStatusCode.ERROR });
  }
}

function endSpan(span: ApiSpan, error: { readonly thrown: unknown } | undefined): void {
  if (error) new OpenSpan(span).fail(errorType(error.thrown));
  span.end();
}
