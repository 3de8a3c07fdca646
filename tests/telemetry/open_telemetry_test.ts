/** Spans and measurements, as the API of OpenTelemetry is told of them. */

import assert from "node:assert/strict";
import { AsyncLocalStorage } from "node:async_hooks";
import {
  type Context,
  context,
  type ContextManager,
  type MeterProvider,
  metrics,
  propagation,
  ROOT_CONTEXT,
  type Span as ApiSpan,
  SpanKind,
  SpanStatusCode,
  type TextMapPropagator,
  trace,
  type TracerProvider,
} from "@opentelemetry/api";
import { createOpenTelemetry } from "../../src/telemetry/open_telemetry.ts";
import { HISTOGRAMS, type Observation, type Telemetry } from "../../src/telemetry/telemetry.ts";

interface NotedSpan {
  name: string;
  readonly kind: SpanKind;
  readonly parent: string | undefined;
  readonly attributes: Record<string, unknown>;
  status?: SpanStatusCode;
  ends: number;
}

/** The key of the trace that headers name. */
const REMOTE = Symbol("remote");

/** What an SDK gets to know. */
class Sdk {
  readonly scopes: unknown[] = [];
  readonly spans: NotedSpan[] = [];
  readonly created: unknown[] = [];
  readonly recorded: unknown[] = [];
  readonly observers: ((result: { observe(...values: readonly unknown[]): void }) => Promise<void>)[] = [];
  readonly #noted: Map<unknown, NotedSpan> = new Map();

  readonly tracers = {
    getTracer: (name: string, version?: string) => {
      this.scopes.push(["tracer", name, version]);
      return {
        startSpan: (
          name: string,
          { kind, attributes }: { kind: SpanKind; attributes?: object },
          around: Context,
        ) =>
          this.#begin({ name, kind, attributes: { ...attributes }, parent: this.#nameIn(around), ends: 0 }),
      };
    },
  } as unknown as TracerProvider;

  readonly meters = {
    getMeter: (name: string, version?: string) => {
      this.scopes.push(["meter", name, version]);
      return {
        createHistogram: (metric: string, options: unknown) => {
          this.created.push([metric, options]);
          return { record: (...values: readonly unknown[]) => void this.recorded.push([metric, ...values]) };
        },
        createObservableGauge: (metric: string, options: unknown) => {
          this.created.push([metric, options]);
          return { addCallback: (read: Sdk["observers"][number]) => void this.observers.push(read) };
        },
      };
    },
  } as unknown as MeterProvider;

  readonly propagator: TextMapPropagator = {
    fields: () => ["traceparent"],
    inject: (around, carrier, { set }) => {
      const name = this.#nameIn(around);
      if (name !== undefined) set(carrier, "traceparent", name);
    },
    extract: (around, carrier, { get, keys }) => {
      const [name] = ["traceparent", ...keys(carrier)].map((key) => get(carrier, key));
      return around.setValue(REMOTE, name);
    },
  };

  /** The span that is open around the tests, as that of the server of Deno is. */
  begin(name: string): ApiSpan {
    return this.#begin({ name, kind: SpanKind.SERVER, attributes: {}, parent: undefined, ends: 0 });
  }

  #nameIn(around: Context): string | undefined {
    return this.#noted.get(trace.getSpan(around))?.name ?? around.getValue(REMOTE) as string | undefined;
  }

  #begin(noted: NotedSpan): ApiSpan {
    this.spans.push(noted);
    const span = {
      setAttributes: (more: object) => Object.assign(noted.attributes, more),
      setAttribute: (name: string, value: unknown) => noted.attributes[name] = value,
      setStatus: ({ code }: { code: SpanStatusCode }) => noted.status = code,
      updateName: (name: string) => noted.name = name,
      end: () => noted.ends++,
    } as unknown as ApiSpan;
    this.#noted.set(span, noted);
    return span;
  }
}

function contexts(): ContextManager {
  const store = new AsyncLocalStorage<Context>();
  const manager: ContextManager = {
    active: () => store.getStore() ?? ROOT_CONTEXT,
    with: (around, work, self, ...args) => store.run(around, () => work.call(self as never, ...args)),
    bind: (_around, target) => target,
    enable: () => manager,
    disable: () => manager,
  };
  return manager;
}

/** A test beside an SDK that notes what it is told. */
function watched(name: string, test: (telemetry: Telemetry, sdk: Sdk) => Promise<void> | void): void {
  Deno.test(name, async () => {
    const sdk = new Sdk();
    assert.ok(trace.setGlobalTracerProvider(sdk.tracers));
    assert.ok(metrics.setGlobalMeterProvider(sdk.meters));
    assert.ok(propagation.setGlobalPropagator(sdk.propagator));
    assert.ok(context.setGlobalContextManager(contexts()));
    try {
      await test(createOpenTelemetry("shop", "1.2"), sdk);
    } finally {
      for (const api of [trace, metrics, propagation, context]) api.disable();
    }
  });
}

watched(
  "a span has its side and attributes, what becomes known of it, and ends with its work",
  async (telemetry, sdk) => {
    const sides = {
      internal: "INTERNAL",
      server: "SERVER",
      client: "CLIENT",
      producer: "PRODUCER",
      consumer: "CONSUMER",
    } as const;
    for (const [kind, expected] of Object.entries(sides)) {
      telemetry.span(kind, { kind: kind as keyof typeof sides }, () => {});
      assert.equal(sdk.spans.at(-1)!.kind, SpanKind[expected], kind);
    }
    telemetry.span("plain", {}, () => {});
    assert.equal(sdk.spans.at(-1)!.kind, SpanKind.INTERNAL);
    const work = Promise.withResolvers<string>();
    const result = telemetry.span("work", { attributes: { a: 1 } }, (span) => {
      span.set({ b: true });
      span.rename("better");
      return work.promise;
    });
    const noted = sdk.spans.at(-1)!;
    assert.deepEqual([noted.name, noted.attributes, noted.ends], ["better", { a: 1, b: true }, 0]);
    work.resolve("done");
    assert.equal(await result, "done");
    assert.deepEqual([noted.ends, noted.status], [1, undefined]);
    assert.deepEqual(sdk.scopes, [["tracer", "shop", "1.2"], ["meter", "shop", "1.2"]]);
  },
);

watched(
  "a span of work that throws has failed with the code of the error, and ends",
  async (telemetry, sdk) => {
    const error = Object.assign(new Error("Secret"), { code: "UNIQUE" });
    const failing = [() => Promise.reject(error), () => {
      throw error;
    }];
    for (const work of failing) {
      await assert.rejects(async () => await telemetry.span("work", {}, work), error);
      assert.deepEqual(sdk.spans.pop(), {
        ...{ name: "work", kind: SpanKind.INTERNAL, parent: undefined, ends: 1 },
        ...{ attributes: { "error.type": "UNIQUE" }, status: SpanStatusCode.ERROR },
      });
    }
    telemetry.span("work", {}, (span) => span.fail("404"));
    const { attributes, status, ends } = sdk.spans[0]!;
    assert.deepEqual([attributes, status, ends], [{ "error.type": "404" }, SpanStatusCode.ERROR, 1]);
  },
);

watched(
  "spans are parts of those around them; what is of interest as a part only has none by itself",
  (telemetry, sdk) => {
    const inner = () =>
      telemetry.span("inner", { isPart: true }, (span) => {
        span.set({ a: 1 });
        return 7;
      });
    assert.equal(inner(), 7);
    assert.deepEqual(sdk.spans, []);
    assert.equal(telemetry.span("outer", {}, inner), 7);
    assert.deepEqual(sdk.spans.map(({ name, parent }) => [name, parent]), [["outer", undefined], [
      "inner",
      "outer",
    ]]);
  },
);

watched("a span belongs to the trace that headers name, unless there is one around it", (telemetry, sdk) => {
  const asked: string[] = [];
  const parent = (name: string) => {
    asked.push(name);
    return "remote";
  };
  telemetry.span(
    "server",
    { kind: "server", parent },
    () => telemetry.span("consumer", { parent }, () => {}),
  );
  assert.deepEqual(sdk.spans.map(({ name, parent }) => [name, parent]), [["server", "remote"], [
    "consumer",
    "server",
  ]]);
  assert.deepEqual(asked, ["traceparent"]);
});

watched(
  "the span of a server that begins one by itself is taken over, and ended by that server",
  (telemetry, sdk) => {
    const around = sdk.begin("GET");
    const within = <T>(work: () => T) => context.with(trace.setSpan(context.active(), around), work);
    within(() =>
      telemetry.span("GET /a", { kind: "server", attributes: { route: "/a" } }, (span) => span.fail("500"))
    );
    const [noted, ...others] = sdk.spans;
    assert.deepEqual(others, []);
    assert.deepEqual(noted, {
      ...{ name: "GET /a", kind: SpanKind.SERVER, parent: undefined, ends: 0, status: SpanStatusCode.ERROR },
      attributes: { "route": "/a", "error.type": "500" },
    });
    within(() => telemetry.span("GET /b", { kind: "server" }, () => {}));
    assert.deepEqual([noted!.name, sdk.spans.length], ["GET /b", 1]);
    within(() => telemetry.span("call", { kind: "client" }, () => {}));
    assert.deepEqual([sdk.spans[1]!.parent, sdk.spans[1]!.ends], ["GET /b", 1]);
  },
);

watched("headers take the current trace along, and none where there is none", (telemetry) => {
  assert.deepEqual(telemetry.headers(), {});
  assert.deepEqual(telemetry.span("work", {}, () => telemetry.headers()), { traceparent: "work" });
});

watched("histograms are created once, with unit, description and buckets", (telemetry, sdk) => {
  const metric = "db.client.operation.duration";
  telemetry.record(metric, 1, { a: 1 });
  telemetry.record(metric, 2, {});
  const { description, unit, buckets } = HISTOGRAMS[metric];
  assert.deepEqual(sdk.created, [
    [metric, { description, unit, advice: { explicitBucketBoundaries: buckets } }],
  ]);
  assert.deepEqual(sdk.recorded, [[metric, 1, { a: 1 }], [metric, 2, {}]]);
});

watched("states are read when somebody asks", async (telemetry, sdk) => {
  let states: readonly Observation[] = [{ value: 1, attributes: { target: "mail" } }, { value: 2 }];
  telemetry.observe("fw.outbox.oldest_age", () => Promise.resolve(states));
  assert.deepEqual(sdk.created, [
    ["fw.outbox.oldest_age", { description: "Age of the oldest message waiting in the outbox", unit: "s" }],
  ]);
  const seen: unknown[] = [];
  const read = () => sdk.observers[0]!({ observe: (...values) => void seen.push(values) });
  await read();
  assert.deepEqual(seen.splice(0), [[1, { target: "mail" }], [2, undefined]]);
  states = [];
  await read();
  assert.deepEqual(seen, []);
});
