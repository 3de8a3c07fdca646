import assert from "node:assert/strict";
import { createRuntime } from "../../src/fw/create_runtime.ts";
import { currentContext } from "../../src/context/store.ts";
import { denoKinds } from "../../src/deno/deno_kinds.ts";
import { compileRoutePattern } from "../../src/messaging/composite_channel.ts";
import { assertBounded } from "../assert_bounded.ts";
import { eventually } from "../contract/channel.ts";
import { fileMessaging, withPlace } from "../messaging/cases/place.ts";
import { fileChannel } from "../messaging/channels.ts";
import { boxLines, environment, inFolder, messaging } from "../messaging/services.ts";

/** A runtime without a database whose service `messaging` is given. */
function createApp(messaging: Readonly<Record<string, unknown>>, more: Record<string, unknown> = {}) {
  return createRuntime({
    name: "app",
    kinds: denoKinds,
    profiles: ["test"],
    model: { definitions: {} },
    env: {
      requires: { auth: { kind: "dummy" }, db: null, messaging, ...more },
      log: { levels: { default: "silent" } },
    },
  });
}

/** Headers with which a message could claim to be somebody. */
const CLAIMS = {
  ...{ user: "admin", "x-user": "admin", roles: ["admin"], authorization: `Basic ${btoa("admin:")}` },
  ...{ tenant: "evil", "x-tenant": "evil", "x-tenant-id": "evil", "x-zid": "evil" },
};

Deno.test("headers of a message set neither user nor tenant, but for the one that is configured (messaging-001)", () =>
  withPlace(async ({ box, receive }) => {
    Deno.writeTextFileSync(box, `T.e ${JSON.stringify({ data: 1, headers: CLAIMS })}\n`);
    const free = await receive({ name: "free", receive: [{ events: "T.e" }] });
    const requires = fileMessaging(box, { tenantHeader: "x-zid" });
    const mapped = await receive({ name: "mapped", requires, receive: [{ events: "T.e" }] });
    const [one] = await free.handled(1);
    assert.deepEqual([one.context.user, one.context.tenant], ["privileged", null]);
    const [other] = await mapped.handled(1);
    assert.deepEqual([other.context.user, other.context.tenant], ["privileged", "evil"]);

    const app = createApp({ kind: "http-messaging" });
    const seen: unknown[] = [];
    (await app.connect("messaging")).on("T.e", () => {
      const { user, tenant } = currentContext()!;
      seen.push([user.id, tenant]);
    });
    await app.start();
    const headers = {
      ...{ "ce-specversion": "1.0", "ce-id": "1", "ce-source": "/s", "ce-type": "T.e" },
      ...{ "ce-tenant": "evil", "ce-user": "admin", "x-zid": "evil", "content-type": "application/json" },
    };
    const url = "http://localhost/messaging/messaging";
    const { status } = await app.fetch(new Request(url, { method: "POST", headers, body: "1" }));
    assert.ok(status >= 200 && status < 300, String(status));
    assert.deepEqual(seen, [["privileged", undefined]]);
    await app.close();
  }));

Deno.test("an event name with parts of a path names no file (messaging-002)", () =>
  withPlace(async ({ folder, emit, receive }) => {
    Deno.mkdirSync(`${folder}/a/b`, { recursive: true });
    const requires = fileMessaging(`${folder}/a/b/box`);
    const names = ["../../x", "../x", "/etc/x", "..\\x"];
    await emit({ requires, emit: names.map((event) => ({ event, data: 1 })) });
    const { handled } = await receive({ name: "../../group", requires, receive: [{ events: names }] });
    assert.deepEqual((await handled(4)).map(({ event }) => event), names);
    const files = (path: string) => [...Deno.readDirSync(path)].map(({ name }) => name).toSorted();
    assert.deepEqual(files(folder), ["a", "journal-1"]);
    assert.deepEqual(files(`${folder}/a`), ["b"]);
    assert.deepEqual(files(`${folder}/a/b`), ["box", "box.d"]);
  }));

Deno.test("a pattern with many wildcards is refused at the start, allowed ones take bounded time (messaging-004)", async () => {
  const routes = { A: ["a*a*a*a*a*a*X"] };
  const app = createApp({ kind: "composite-messaging", routes }, { A: { kind: "local-messaging" } });
  await assert.rejects(app.start(), (error: Error) => {
    assert.equal(error.name, "ConfigurationError");
    assert.match(error.message, /a\*a\*a\*a\*a\*a\*X/);
    return true;
  });
  await app.close().catch(() => {});
  for (const pattern of ["*a*a", "**a*a*X", "**a**aX", "*a.*a.*a.*X"]) {
    for (const name of ["a".repeat(120), "a".repeat(512), "a.".repeat(256)]) {
      await assertBounded(() => compileRoutePattern(pattern, "A").test(name), pattern);
    }
  }
});

Deno.test("of messages of 100 MB or of deep JSON the consumer recovers (messaging-006)", () =>
  withPlace(async ({ box, emit, receive }) => {
    {
      using file = Deno.openSync(box, { create: true, append: true });
      const part = new TextEncoder().encode("x".repeat(1_000_000));
      file.writeSync(new TextEncoder().encode('T.e {"data":"'));
      for (let n = 0; n < 100; n++) file.writeSync(part);
      file.writeSync(new TextEncoder().encode('"}\n'));
    }
    const deep = (levels: number) => `T.e {"data":${"[".repeat(levels)}${"]".repeat(levels)}}\n`;
    Deno.writeTextFileSync(box, `${deep(100)}${deep(200_000)}`, { append: true });
    await emit({ emit: [{ event: "T.e", data: "good" }] });
    const { handled, process } = await receive({ receive: [{ events: "T.e" }] });
    assert.deepEqual((await handled(1)).map(({ data }) => data), ["good"]);
    await process.waitFor(/set aside in .*receiver\.bad: 100000015 bytes, the limit is 1048576/);
    await process.waitFor(/nested deeper than 64 levels/);
    await assert.rejects(
      emit({ emit: [{ event: "T.e", data: "x".repeat(2 ** 20) }] }).catch((error) => {
        assert.match(error.message, /refused MESSAGE_TOO_LARGE/);
        throw error;
      }),
    );

    const app = createApp({ kind: "http-messaging" });
    const got: unknown[] = [];
    (await app.connect("messaging")).on("T.e", ({ data }) => void got.push(data));
    await app.start();
    const post = async (body: string) => {
      const headers = {
        ...{ "ce-specversion": "1.0", "ce-id": "1", "ce-source": "/s", "ce-type": "T.e" },
        "content-type": "application/json",
      };
      const url = "http://localhost/messaging/messaging";
      return (await app.fetch(new Request(url, { method: "POST", headers, body }))).status;
    };
    assert.equal(await post(`"${"x".repeat(100_000_000)}"`), 413);
    assert.equal(await post("[".repeat(100) + "]".repeat(100)), 400);
    assert.equal(await post('"good"'), 204);
    assert.deepEqual(got, ["good"]);
    await app.close();
  }));

Deno.test("a message whose handler always throws is tried so often, then it is a dead letter (messaging-007)", () =>
  inFolder(async (folder) => {
    const host = environment();
    const options = { maxAttempts: 4 };
    const srv = messaging(fileChannel(`${folder}/box`), { host, options, retryDelayMs: () => 2 });
    let calls = 0;
    const handled: unknown[] = [];
    srv.on("T.e", ({ data }) => {
      if (data === "poison") throw new Error(`poison ${++calls}`);
      handled.push(data);
    });
    await srv.start();
    await srv.emit("T.e", "poison");
    const dead = `${folder}/box.d/app.dead`;
    await eventually(() => boxLines(dead).length === 1);
    await srv.emit("T.e", "next");
    await eventually(() => handled.length === 1);
    assert.equal(calls, 4);
    const letter = JSON.parse(boxLines(dead)[0]);
    assert.deepEqual([letter.data, letter.attempts], ["poison", 4]);
    assert.match(letter.lastError, /poison 4/);
    await srv.close();
  }));
