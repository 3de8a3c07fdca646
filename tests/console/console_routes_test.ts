/** Who gets the console, and what it is made of. */

import assert from "node:assert/strict";
import { FILES } from "../../src/console/files.ts";
import { denoKinds } from "../../src/deno/deno_kinds.ts";
import { createRuntime } from "../../src/fw/create_runtime.ts";
import type { Kinds } from "../../src/fw/kinds.ts";
import { SMALL, withProject } from "../deno/project.ts";
import { loadProject } from "../../src/deno/load_project.ts";

const HUNDRED_AND_FIFTY_KB = 150_000;
const MODEL = { definitions: { Hello: { kind: "service" } } } as const;
const SILENT = { log: { levels: { default: "silent" } } };

type Send = (path: string, options?: RequestInit) => Promise<Response>;

interface Given {
  readonly kinds?: Kinds;
  readonly profiles?: readonly string[];
}

function sender(env: Record<string, unknown>, { kinds = denoKinds, profiles }: Given = {}): Send {
  const runtime = createRuntime({ model: MODEL, kinds, profiles, env: { ...SILENT, ...env } });
  return (path, options) => runtime.fetch(new Request(`http://localhost${path}`, options));
}

async function statusOf(answer: Promise<Response>): Promise<number> {
  const { status, body } = await answer;
  await body?.cancel();
  return status;
}

const as = (name: string) => ({ headers: { authorization: `Basic ${btoa(`${name}:pw`)}` } });

Deno.test("in development everybody gets the console, with a policy that lets nothing in from elsewhere", async () => {
  const send = sender({});
  const page = await send("/");
  assert.match(await page.text(), /<script type="module" src="\.\/-\/console\/main\.js">/);
  const policy = page.headers.get("content-security-policy")!;
  assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self'/);
  assert.doesNotMatch(policy, /unsafe|\*|https?:/);
  assert.match(await (await send("/-/console/")).text(), /src="\.\.\/\.\.\/-\/console\/main\.js"/);
  const file = await send("/-/console/main.js");
  assert.equal(file.headers.get("content-type"), "text/javascript; charset=utf-8");
  await file.body?.cancel();
  const known = { headers: { "if-none-match": file.headers.get("etag")! } };
  assert.equal(await statusOf(send("/-/console/main.js", known)), 304);
  assert.equal(await statusOf(send("/-/console/nothing.js")), 404);
  const info = await (await send("/-/console/info.json", as("alice"))).json();
  assert.deepEqual(info.user, { id: "mock/alice", roles: ["admin"] });
});

Deno.test("the console is told the consumer groups of channels", async () => {
  const send = sender({ name: "shop", requires: { messaging: { kind: "local-messaging" } } });
  const { channels } = await (await send("/-/console/info.json", as("alice"))).json();
  assert.deepEqual(channels, [{ name: "messaging", kind: "local-messaging", group: "shop" }]);
});

Deno.test("the console shows the last messages of channels to those who are logged in", async () => {
  const env = { ...SILENT, requires: { messaging: { kind: "local-messaging" } } };
  const runtime = createRuntime({ model: MODEL, kinds: denoKinds, env });
  const messages = (options?: RequestInit) =>
    runtime.fetch(new Request("http://localhost/-/messages", options));
  await runtime.start();
  const messaging = await runtime.connect("messaging");
  messaging.on("shop/sold", () => {});
  await messaging.tx({}, (tx) => tx.emit("shop/sold", { book: 201 }, { authorization: "hush" }));
  assert.equal(await statusOf(messages()), 401);
  let value: Record<string, string>[] = [];
  for (let tries = 0; value.length < 2 && tries < 100; tries++) {
    ({ value } = await (await messages(as("alice"))).json());
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  await runtime.close();
  const shown = value.map(({ channel, topic, group, text }) => ({
    ...{ channel, topic, group },
    data: JSON.parse(text).data,
  }));
  const sent = { channel: "messaging", topic: "shop/sold", data: { book: 201 } };
  assert.deepEqual(shown.map((one) => ({ ...one, ...sent })), shown);
  assert.ok(shown.some(({ group }) => group === undefined), "sent");
  assert.ok(shown.some(({ group }) => group !== undefined), "received");
  assert.doesNotMatch(JSON.stringify(value), /hush/);
});

Deno.test("messages of several tenants are shown to none of them", async () => {
  const requires = { multitenancy: true, messaging: { kind: "local-messaging", tenantHeader: "tenant" } };
  assert.equal(await statusOf(sender({ requires })("/-/messages", as("alice"))), 404);
});

Deno.test("dead letters of the console are for those who are logged in", async () => {
  const send = sender({ requires: { db: { kind: "memory" } } });
  assert.equal(await statusOf(send("/-/dead-letters")), 401);
  assert.deepEqual(await (await send("/-/dead-letters", as("bob"))).json(), { value: [] });
  const foreign = { method: "POST", headers: { ...as("bob").headers, "sec-fetch-site": "cross-site" } };
  assert.equal(await statusOf(send("/-/dead-letters/replay", foreign)), 403);
});

const PRODUCTION = {
  requires: {
    auth: { kind: "basic", users: { op: { password: "pw", roles: ["operator"] }, bob: { password: "pw" } } },
  },
};

Deno.test("in production the console is off, and behind a role where the configuration names one", async () => {
  const profiles = ["production"];
  const off = sender(PRODUCTION, { profiles });
  assert.equal(await statusOf(off("/", as("op"))), 404);
  assert.equal(await statusOf(off("/-/console/main.js", as("op"))), 404);
  const on = sender({ ...PRODUCTION, console: { requires: "operator" } }, { profiles });
  for (
    const path of [
      "/",
      "/-/console/",
      "/-/console/main.js",
      "/-/console/info.json",
      "/-/console/sources.json",
    ]
  ) {
    assert.equal(await statusOf(on(path)), 401, path);
    assert.equal(await statusOf(on(path, as("bob"))), 403, path);
    assert.equal(await statusOf(on(path, as("op"))), 200, path);
  }
  const info = await (await on("/-/console/info.json", as("op"))).json();
  assert.deepEqual([info.isMocked, info.users], [false, []]);
  for (const console of [true, {}, { requires: "any" }, { requires: ["operator", "authenticated-user"] }]) {
    const open = createRuntime({
      model: MODEL,
      kinds: denoKinds,
      profiles,
      env: { ...SILENT, ...PRODUCTION, console },
    });
    await assert.rejects(
      open.start(),
      /"fw\.console\.requires" must name the roles/,
      JSON.stringify(console),
    );
  }
});

Deno.test("`console: false` and runtimes without the files leave a page of links", async () => {
  for (const send of [sender({ console: false }), sender({}, { kinds: {} })]) {
    assert.doesNotMatch(await (await send("/")).text(), /<script/);
    assert.equal(await statusOf(send("/-/console/main.js")), 404);
  }
});

Deno.test("the console shows the sources of the model, and its files come with their first request", () =>
  withProject(SMALL, async (folder) => {
    const { runtime } = await loadProject(folder, { variables: {}, env: SILENT });
    const answer = await runtime.fetch(new Request("http://localhost/-/console/sources.json"));
    const { value } = await answer.json();
    assert.deepEqual(value.map(({ name }: { name: string }) => name), [
      "db/schema.cds",
      "srv/cat_service.cds",
    ]);
    assert.match(value[0].text, /entity Books/);
    await runtime.close();
  }));

Deno.test("the page weighs less than 150 kB, packed", async () => {
  let size = 0;
  for (const { text } of FILES.values()) {
    const packed = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
    size += (await new Response(packed).arrayBuffer()).byteLength;
  }
  assert.ok(size < HUNDRED_AND_FIFTY_KB, `${size}`);
});

Deno.test("all files of the page are served, and every text of it has a German one", () => {
  const folder = new URL("../../src/console/page/", import.meta.url);
  const names = [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
  assert.deepEqual([...FILES.keys()].sort(), names);
  const german = new Set(
    [...FILES.get("texts.js")!.text.matchAll(/^ {2}"?([^":]+(?:: [^"]*)?)"?:/gm)].map(([, text]) => text),
  );
  for (const [name, { text }] of FILES) {
    for (const [, used] of text.matchAll(/\bt\("([^"]+)"/g)) assert.ok(german.has(used!), `${name}: ${used}`);
  }
});
