import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import { runInTransaction } from "../../src/service/transactions/transaction.ts";
import { cloudEventFault } from "../../src/messaging/cloud_events.ts";
import { fileChannel, recordingLog } from "./channels.ts";
import { boxLines, environment, inFolder, messaging } from "./services.ts";

type Stored = { data: unknown; headers: Record<string, unknown> };

async function storedBy(
  emit: (srv: ReturnType<typeof messaging>) => Promise<unknown>,
  name = "app",
): Promise<Stored[]> {
  const stored: Stored[] = [];
  await inFolder(async (folder) => {
    const channel = fileChannel(`${folder}/box`);
    const srv = messaging(channel, { options: { format: "cloudevents" }, host: environment(name) });
    await emit(srv);
    await srv.close();
    for (const line of boxLines(`${folder}/box`)) stored.push(JSON.parse(line.slice(line.indexOf(" "))));
  });
  return stored;
}

Deno.test("format cloudevents fills the attributes, the payload stays in data [2.7.format] [2.7.ce] [6.3.7] (MSG-031)", async () => {
  const [{ data, headers }] = await storedBy((srv) => srv.emit("T.e", { n: 1 }));
  assert.deepEqual(data, { n: 1 });
  assert.equal(headers.type, "T.e");
  assert.equal(headers.specversion, "1.0");
  assert.equal(headers.datacontenttype, "application/json");
  assert.equal(headers.source, "/app");
  assert.match(String(headers.id), /^[0-9a-f-]{36}$/);
  assert.match(String(headers.time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/);
  assert.equal(cloudEventFault(headers), undefined);
});

Deno.test("given attributes are not overwritten (MSG-032)", async () => {
  const headers = { id: "my-id", source: "/my", type: "t", time: "2024-01-01T00:00:00Z" };
  const [stored] = await storedBy((srv) => srv.emit("T.e", {}, headers));
  for (const [name, value] of Object.entries(headers)) assert.equal(stored.headers[name], value);
});

Deno.test("all attribute names are allowed ones, and the correlation id is kept", async () => {
  const [{ headers }] = await storedBy((srv) =>
    runInTransaction(new EventContext({ id: "c1" }), () => srv.emit("T.e", {}, { "x-my": 1, ext: 2 }), {
      log: recordingLog(),
    })
  );
  assert.ok(Object.keys(headers).every((name) => /^[a-z0-9]+$/.test(name)));
  assert.equal(headers.correlationid, "c1");
  assert.equal(headers.ext, 2);
});

Deno.test("ids differ, the source is stable over restarts and safe for any application name", async () => {
  const name = "my app/ü";
  const emit = (srv: ReturnType<typeof messaging>) => srv.emit("T.e", {}).then(() => srv.emit("T.e", {}));
  const stored = [...await storedBy(emit, name), ...await storedBy(emit, name)];
  assert.equal(new Set(stored.map(({ headers }) => headers.id)).size, 4);
  assert.deepEqual(new Set(stored.map(({ headers }) => headers.source)), new Set(["/my%20app%2F%C3%BC"]));
});

Deno.test("cloudEventFault() names what is wrong", () => {
  const good = { specversion: "1.0", id: "1", source: "/s", type: "t" };
  assert.equal(cloudEventFault({ ...good, ext: true, n: 1, time: "2024-01-01T00:00:00+01:00" }), undefined);
  assert.match(cloudEventFault({ ...good, specversion: "0.3" })!, /specversion/);
  assert.match(cloudEventFault({ ...good, id: "" })!, /id is missing/);
  assert.match(cloudEventFault({ ...good, source: 1 })!, /source is missing/);
  assert.match(cloudEventFault({ ...good, time: "yesterday" })!, /RFC 3339/);
  assert.match(cloudEventFault({ ...good, ext: 1.5 })!, /ext is no string/);
});
