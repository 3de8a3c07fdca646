/** Measurements as text of OpenMetrics 1.0. */

import assert from "node:assert/strict";
import { createOpenMetrics } from "../../src/telemetry/open_metrics.ts";
import { GAUGES, HISTOGRAMS } from "../../src/telemetry/telemetry.ts";

const linesOf = async (metrics: ReturnType<typeof createOpenMetrics>) =>
  (await metrics.render()).text.split("\n");

Deno.test("all histograms are described before anything is measured, and the text ends as it must", async () => {
  const { text, type } = await createOpenMetrics().render();
  assert.equal(type, "application/openmetrics-text; version=1.0.0; charset=utf-8");
  for (const [name, { description }] of Object.entries(HISTOGRAMS)) {
    const label = `${name.replaceAll(".", "_")}_seconds`;
    assert.ok(text.includes(`# HELP ${label} ${description}\n`), text);
    assert.ok(text.includes(`# TYPE ${label} histogram\n`));
  }
  assert.ok(text.endsWith("# EOF\n"));
});

Deno.test("a time is counted in its buckets, by its attributes as texts", async () => {
  const metrics = createOpenMetrics();
  const attributes = { "http.request.method": "GET", "http.route": "/a", "http.response.status_code": 200 };
  for (const seconds of [0.02, 0.06, 20]) metrics.record("http.server.request.duration", seconds, attributes);
  metrics.record("http.server.request.duration", 1, { "http.route": "/b" });
  const lines = await linesOf(metrics);
  const labels = 'http_request_method="GET",http_route="/a",http_response_status_code="200"';
  const valueOf = (start: string) => lines.find((line) => line.startsWith(start))?.split(" ").at(-1);
  const bucket = (bound: string) =>
    valueOf(`http_server_request_duration_seconds_bucket{le="${bound}",${labels}`);
  const bounds = ["0.01", "0.025", "0.05", "0.075", "10", "+Inf"];
  assert.deepEqual(bounds.map(bucket), ["0", "1", "1", "2", "2", "3"]);
  assert.equal(valueOf(`http_server_request_duration_seconds_count{${labels}`), "3");
  assert.equal(valueOf(`http_server_request_duration_seconds_sum{${labels}`), "20.08");
  assert.equal(valueOf('http_server_request_duration_seconds_count{http_route="/b"'), "1");
});

Deno.test("a state is read whenever somebody asks, and what it no longer tells is gone", async () => {
  const metrics = createOpenMetrics();
  let targets = ["mail", "news"];
  metrics.observe(
    "fw.outbox.oldest_age",
    () => Promise.resolve(targets.map((target, index) => ({ value: index + 1.5, attributes: { target } }))),
  );
  metrics.observe("db.client.connection.max", () => Promise.resolve([{ value: 30 }]));
  const told = async () =>
    (await linesOf(metrics)).filter((line) => /^(fw_outbox|db_client_conn)/.test(line));
  assert.deepEqual(await told(), [
    'fw_outbox_oldest_age_seconds{target="mail"} 1.5',
    'fw_outbox_oldest_age_seconds{target="news"} 2.5',
    "db_client_connection_max 30",
  ]);
  targets = ["news"];
  assert.deepEqual(await told(), [
    'fw_outbox_oldest_age_seconds{target="news"} 1.5',
    "db_client_connection_max 30",
  ]);
  const lines = await linesOf(metrics);
  assert.ok(
    lines.includes(`# HELP fw_outbox_oldest_age_seconds ${GAUGES["fw.outbox.oldest_age"].description}`),
  );
  assert.ok(lines.includes("# TYPE db_client_connection_max gauge"));
});

Deno.test("each runtime has its own measurements", async () => {
  const [one, other] = [createOpenMetrics(), createOpenMetrics()];
  one.record("db.client.operation.duration", 1, { "db.operation.name": "SELECT" });
  assert.match((await one.render()).text, /"SELECT"/);
  assert.doesNotMatch((await other.render()).text, /"SELECT"/);
});
