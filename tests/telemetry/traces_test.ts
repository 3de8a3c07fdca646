import assert from "node:assert/strict";
import { findService, uniqueName } from "../contract/services.ts";
import { REPOSITORY, withProject } from "../deno/project.ts";
import { type RunningProcess, startProcess } from "../deno/project_processes.ts";

const { address, isThere } = await findService("nats");

interface SpanRecord {
  readonly name: string;
  readonly service: string;
  readonly trace: string;
  readonly id: string;
  readonly parent: string | undefined;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** A receiver of OTLP over HTTP, as a collector has it. */
function receiveSpans(): { readonly url: string; readonly spans: SpanRecord[]; stop(): Promise<void> } {
  const spans: SpanRecord[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
    const body = await request.json();
    for (const { resource, scopeSpans } of body.resourceSpans ?? []) {
      const service = membersOf(resource.attributes)["service.name"] as string;
      for (const { traceId, spanId, parentSpanId, name, attributes } of scopeSpans.flatMap(spansOf)) {
        const ids = { trace: traceId, id: spanId, parent: parentSpanId || undefined };
        spans.push({ name, service, ...ids, attributes: membersOf(attributes) });
      }
    }
    return Response.json({});
  });
  return { url: `http://127.0.0.1:${server.addr.port}`, spans, stop: () => server.shutdown() };
}

// deno-lint-ignore no-explicit-any -- the JSON of OTLP
type Otlp = any;

const spansOf = ({ spans }: Otlp): Otlp[] => spans;

function membersOf(attributes: Otlp[] = []): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}

function serve(
  folder: string,
  service: string,
  more: { collector: string; config: unknown },
): RunningProcess {
  return startProcess({
    args: [`${REPOSITORY}src/cli/mod.ts`, "serve", folder],
    variables: {
      ...{ OTEL_DENO: "true", OTEL_SERVICE_NAME: service, OTEL_BSP_SCHEDULE_DELAY: "100" },
      ...{ OTEL_EXPORTER_OTLP_PROTOCOL: "http/json", OTEL_EXPORTER_OTLP_ENDPOINT: more.collector },
      FW_CONFIG: JSON.stringify(more.config),
    },
  });
}

const STOCK = {
  "srv/stock.cds": "service Stock { entity Levels { key ID : Integer; level : Integer; } }\n",
  "srv/stock.ts": `import fw from "@fw/runtime";
export class Stock extends fw.ApplicationService {
  override async init() {
    const messaging = await fw.connect.to("messaging");
    messaging.on("Shop.Ordered", () => SELECT.from("Stock.Levels"));
    return await super.init();
  }
}
`,
};

const SHOP = {
  "srv/shop.cds": `service Shop {
  entity Orders { key ID : Integer; level : Integer; }
  event Ordered { ID : Integer; }
}
@cds.external service Stock { entity Levels { key ID : Integer; level : Integer; } }
`,
  "srv/shop.ts": `import fw from "@fw/runtime";
export class Shop extends fw.ApplicationService {
  override async init() {
    const stock = await fw.connect.to("Stock");
    this.before("CREATE", "Orders", async (req) => {
      await stock.run(SELECT.from("Stock.Levels"));
      await this.emit("Ordered", { ID: req.data.ID });
    });
    return await super.init();
  }
}
`,
};

Deno.test({
  name:
    "a request that calls another service and emits an event that another process handles is one trace (W3C Trace Context)",
  ignore: !isThere,
  fn: async () => {
    const collector = receiveSpans();
    const messaging = { kind: "nats-messaging", credentials: { url: address }, stream: uniqueName() };
    const quiet = { log: { levels: { default: "warn" } } };
    await withProject(STOCK, async (stockFolder) =>
      await withProject(SHOP, async (shopFolder) => {
        const stock = serve(stockFolder, "stock", {
          collector: collector.url,
          config: { ...quiet, requires: { messaging } },
        });
        const [, stockUrl] = await stock.waitFor(/listening on (\S+)/);
        const shop = serve(shopFolder, "shop", {
          collector: collector.url,
          config: {
            ...quiet,
            requires: {
              messaging,
              Stock: { kind: "odata", credentials: { url: `${stockUrl}/odata/v4/stock` } },
            },
          },
        });
        try {
          const [, shopUrl] = await shop.waitFor(/listening on (\S+)/);
          const trace = crypto.randomUUID().replaceAll("-", "");
          const response = await fetch(`${shopUrl}/odata/v4/shop/Orders`, {
            method: "POST",
            headers: {
              "content-type": "application/json",
              authorization: `Basic ${btoa("alice:")}`,
              traceparent: `00-${trace}-00f067aa0ba902b7-01`,
            },
            body: JSON.stringify({ ID: 1, level: 7 }),
          });
          assert.equal(response.status, 201, await response.text());
          const ours = await spansOfTrace(collector.spans, trace, "process Shop.Ordered");
          assertTree(ours);
        } finally {
          await Promise.all([stock.close(), shop.close()]);
          await collector.stop();
        }
      }));
  },
});

async function spansOfTrace(
  spans: readonly SpanRecord[],
  trace: string,
  last: string,
): Promise<readonly SpanRecord[]> {
  for (const end = Date.now() + 60_000; Date.now() < end;) {
    const ours = spans.filter((span) => span.trace === trace);
    const names = new Set(ours.map(({ name }) => name));
    if (names.has(last) && names.has("POST /odata/v4/shop")) return ours;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`no span "${last}" in ${JSON.stringify(spans.map(({ name, trace }) => [name, trace]))}`);
}

function assertTree(spans: readonly SpanRecord[]): void {
  const find = (service: string, name: string) => {
    const found = spans.find((span) => span.service === service && span.name === name);
    assert.ok(
      found,
      `${service}: ${name} in ${spans.map((span) => `${span.service}: ${span.name}`).join(", ")}`,
    );
    return found;
  };
  const isBelow = (span: SpanRecord, above: SpanRecord): boolean => {
    const parent = spans.find(({ id }) => id === span.parent);
    return parent !== undefined && (parent.id === above.id || isBelow(parent, above));
  };
  const request = find("shop", "POST /odata/v4/shop");
  assert.equal(request.parent, "00f067aa0ba902b7");
  assert.equal(request.attributes["http.route"], "/odata/v4/shop");
  // Deno begins a span for each fetch, too
  const calls = spans.filter(({ service, name }) => service === "shop" && name === "GET");
  const called = find("stock", "GET /odata/v4/stock");
  const insert = find("shop", "INSERT Shop.Orders");
  const send = find("shop", "send Shop.Ordered");
  const handled = find("stock", "process Shop.Ordered");
  const read = spans.filter(({ service, name }) => service === "stock" && name === "SELECT Stock.Levels");
  const before = find("shop", "before CREATE");
  assert.deepEqual(before.attributes, { "fw.service": "Shop", "fw.event": "CREATE" });
  assert.ok(calls.every((call) => isBelow(call, before)));
  for (const span of [...calls, before, insert, send, find("shop", "authenticate")]) {
    assert.ok(isBelow(span, request), span.name);
  }
  assert.ok(calls.some((call) => isBelow(called, call)));
  assert.ok(isBelow(handled, request));
  assert.ok(read.some((span) => isBelow(span, called)));
  assert.ok(read.some((span) => isBelow(span, handled)));
  assert.equal(insert.attributes["db.collection.name"], "Shop.Orders");
  // what is told never holds values of rows
  const texts = spans.map((span) => JSON.stringify(Object.values(span.attributes))).join("\n");
  assert.doesNotMatch(texts, /"7"|level/);
}
