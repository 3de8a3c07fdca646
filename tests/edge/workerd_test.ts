import assert from "node:assert/strict";
import { sendConcurrently } from "../rules/concurrency_app.ts";
import { createHttpChannel } from "../../src/messaging/http/mod.ts";
import { createRuntime } from "../../src/fw/create_runtime.ts";
import { bundleModules } from "./bundle_modules.ts";
import { startWorkerd } from "../../scripts/workerd.ts";

const [concurrency, messaging, token] = await bundleModules([
  "tests/edge/concurrency_worker.ts",
  "tests/edge/messaging_worker.ts",
  "tests/edge/token_worker.ts",
]);

Deno.test("the edge bundle answers a filtered read from the memory database in workerd", async () => {
  await bundleModules([], ["--any-size"]);
  const server = await startWorkerd("dist/edge.js");
  try {
    const query = "$filter=author/name eq 'Emily Brontë'&$select=ID,title&$expand=author($select=name)";
    const response = await fetch(`${server.url}/odata/v4/catalog/Books?${encodeURI(query)}`);
    const { value } = await response.json();
    assert.equal(response.status, 200);
    assert.deepEqual(value, [{
      ID: 201,
      title: "Wuthering Heights",
      author: { ID: 103, name: "Emily Brontë" },
    }]);
    const refused = await fetch(`${server.url}/odata/v4/admin/Books`);
    assert.equal(refused.status, 401);
    await refused.body?.cancel();
    // feature toggles of users
    const statuses = await Promise.all(["fred", "dave"].map(async (user) => {
      const headers = { authorization: `Basic ${btoa(`${user}:`)}` };
      const answer = await fetch(`${server.url}/odata/v4/catalog/Books(201)?$select=isbn`, { headers });
      await answer.body?.cancel();
      return answer.status;
    }));
    assert.deepEqual(statuses, [200, 400]);
    console.log(`workerd: first answer ${Math.round(server.coldStartMs)} ms after its start`);
  } finally {
    await server.stop();
  }
});

Deno.test("200 concurrent requests never see the context of another one in workerd [2.1.3] [2.1.tenant.b]", async () => {
  const server = await startWorkerd(concurrency!);
  try {
    const { calls, problems } = await sendConcurrently(async (request) => {
      const { pathname, search } = new URL(request.url);
      return await fetch(`${server.url}${pathname}${search}`, request);
    }, 200);
    assert.deepEqual(problems, []);
    assert.equal(calls, 133 + 67 * 4);
  } finally {
    await server.stop();
  }
});

Deno.test("an event emitted here over HTTP is handled in workerd, for authenticated senders only", async () => {
  const server = await startWorkerd(messaging!);
  const credentials = { url: `${server.url}/events`, username: "alice" };
  const sender = createRuntime({
    model: { definitions: {} },
    env: {
      requires: { db: null, messaging: { kind: "http-messaging", contentMode: "structured", credentials } },
      log: { levels: { default: "silent" } },
    },
    kinds: { channels: { "http-messaging": () => createHttpChannel } },
  });
  try {
    await sender.start();
    const messaging = await sender.connect("messaging");
    await messaging.emit("Shop.sold", { ID: 7, text: "Größe" });
    const response = await fetch(`${server.url}/odata/v4/log/Entries`);
    assert.deepEqual((await response.json()).value, [{ ID: 7, text: "Größe" }]);
    const refused = await fetch(`${server.url}/events`, { method: "POST", body: "{}" });
    assert.equal(refused.status, 401);
    await refused.body?.cancel();
  } finally {
    await sender.close();
    await server.stop();
  }
});

Deno.test("tokens are verified in workerd, by RS256 and ES256, a changed one is refused", async () => {
  const server = await startWorkerd(token!);
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${server.url}${path}`, { headers });
    return { status: response.status, text: await response.text() };
  };
  const who = (token: string) => get("/odata/v4/admins/who()", { authorization: `Bearer ${token}` });
  try {
    const paths = ["/token?user=alice", "/token?user=alice&algorithm=ES256"];
    const tokens: string[] = [];
    for (const path of paths) tokens.push((await get(path)).text);
    for (const token of [...tokens, ...tokens]) {
      const { status, text } = await who(token);
      assert.deepEqual([status, JSON.parse(text).value], [200, "alice"]);
    }
    const [header, , signature] = tokens[0]!.split(".");
    assert.equal((await who(`${header}.${tokens[1]!.split(".")[1]}.${signature}`)).status, 401);
    assert.equal((await get("/odata/v4/admins/who()")).status, 401);
  } finally {
    await server.stop();
  }
});
