import assert from "node:assert/strict";
import { denoKinds } from "../../src/deno/deno_kinds.ts";
import { createRuntime } from "../../src/fw/create_runtime.ts";

const EVENT = {
  ...{ "ce-specversion": "1.0", "ce-id": "1", "ce-source": "/s", "ce-type": "T.e" },
  "content-type": "application/json",
};

Deno.test("a webhook takes events only of senders that are authenticated, and tells others nothing", async () => {
  const app = createRuntime({
    name: "app",
    model: { definitions: {} },
    kinds: denoKinds,
    profiles: ["test"],
    env: {
      requires: {
        auth: { kind: "basic", users: { hub: { password: "pw" } } },
        db: null,
        messaging: { kind: "http-messaging", path: "/hook" },
      },
      log: { levels: { default: "silent" } },
    },
  });
  const got: unknown[] = [];
  (await app.connect("messaging")).on("T.e", ({ data, user }) => void got.push([data, user.id]));
  await app.start();
  const send = async (method: string, authorization?: string) => {
    const headers = new Headers({ ...EVENT, "webhook-request-origin": "hub.example" });
    if (authorization) headers.set("authorization", authorization);
    const body = method === "POST" ? "1" : undefined;
    return await app.fetch(new Request("http://localhost/hook", { method, headers, body }));
  };
  for (const authorization of [undefined, `Basic ${btoa("hub:wrong")}`, "Bearer x"]) {
    for (const method of ["POST", "OPTIONS"]) {
      const { status, headers } = await send(method, authorization);
      assert.equal(status, 401, `${method} ${authorization}`);
      assert.equal(headers.get("webhook-allowed-origin"), null);
    }
  }
  assert.deepEqual(got, []);
  const right = `Basic ${btoa("hub:pw")}`;
  assert.equal((await send("OPTIONS", right)).headers.get("webhook-allowed-origin"), "hub.example");
  assert.equal((await send("POST", right)).status, 204);
  assert.deepEqual(got, [[1, "privileged"]]);
  await app.close();
});
