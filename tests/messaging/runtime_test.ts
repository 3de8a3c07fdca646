import assert from "node:assert/strict";
import { createRuntime } from "../../src/fw/create_runtime.ts";
import type { Implementations } from "../../src/fw/implementation.ts";
import { currentRuntime } from "../../src/fw/current.ts";
import type { Csn } from "../../src/model/csn.ts";
import { createFileChannel } from "../../src/messaging/file/file_channel.ts";
import { eventually } from "../contract/channel.ts";
import { boxLines, inFolder } from "./services.ts";

const order: Csn["definitions"] = {
  "Orders": { kind: "service" },
  "Orders.submit": { kind: "action", params: { fail: { type: "cds.Boolean" } } },
  "Orders.submitted": { kind: "event", elements: { n: { type: "cds.Integer" } } },
};

/** A runtime with a file channel, or whatever `messaging` says. */
function start(csn: Csn, handlers: Implementations, requires: Record<string, unknown>, name: string) {
  return createRuntime({
    model: csn,
    name,
    handlers,
    env: {
      requires: { auth: { kind: "dummy" }, db: null, ...requires },
      log: { levels: { default: "silent" } },
    },
    kinds: { channels: { "file-based-messaging": () => createFileChannel } },
  });
}

const submitting: Implementations = {
  Orders: (srv) => {
    srv.on("submit", async (req) => {
      await srv.emit("submitted", { n: 1 });
      if ((req.data as { fail?: boolean }).fail) req.reject(400, "No");
    });
  },
};

function submit(runtime: ReturnType<typeof createRuntime>, fail = false): Promise<Response> {
  return runtime.fetch(
    new Request("http://localhost/odata/v4/orders/submit", {
      method: "POST",
      headers: { "content-type": "application/json", "x-correlation-id": "c-1" },
      body: JSON.stringify({ fail }),
    }),
  );
}

Deno.test("an event emitted in a request leaves with its commit and reaches another application; after a rejection nothing does [6.3.1] [6.3.5] [6.3.2]", async () => {
  await inFolder(async (folder) => {
    const requires = { messaging: { kind: "file-based-messaging", file: `${folder}/box` } };
    const sender = start({ definitions: order }, submitting, requires, "sender");
    assert.equal((await submit(sender, true)).status, 400);
    assert.deepEqual(boxLines(`${folder}/box`), []);
    assert.ok((await submit(sender)).ok);
    assert.equal(boxLines(`${folder}/box`).length, 1);
    await sender.close();
    assert.deepEqual([...Deno.readDirSync(`${folder}/box.d`)], []);

    const remote = { ...order, "Orders": { kind: "service" as const, "@cds.external": true } };
    const receiver = start({ definitions: remote }, {}, requires, "receiver");
    const got: unknown[] = [];
    const orders = await receiver.connect("Orders");
    orders.on("submitted", ({ event, data, id, user }) => {
      got.push([event, data, id, user.is("anything"), currentRuntime() === receiver]);
    });
    await receiver.start();
    await eventually(() => got.length === 1);
    assert.deepEqual(got, [["submitted", { n: 1 }, "c-1", true, true]]);
    await receiver.close();
    const files = [...Deno.readDirSync(`${folder}/box.d`)].map(({ name }) => name);
    assert.deepEqual(files.toSorted(), ["receiver.cur", "receiver.lock"]);
  });
});

Deno.test("a start warns of handlers for events that the model of another service does not declare [6.3.2]", async () => {
  const { warn } = console;
  const lines: string[] = [];
  console.warn = (line: string) => void lines.push(line);
  const runtime = createRuntime({
    model: {
      definitions: {
        ...order,
        "Orders": { kind: "service", "@cds.external": true },
        "Orders.Items": {
          kind: "entity",
          elements: { ID: { key: true, type: "cds.Integer" } },
          actions: { pack: { kind: "action" } },
        },
      },
    },
    env: { requires: { auth: { kind: "dummy" }, db: null, messaging: { kind: "local-messaging" } } },
  });
  try {
    const orders = await runtime.connect("Orders");
    const events = ["submitted", "submit", "pack", "READ", "*", "shipped", "submited"];
    for (const event of events) orders.on(event, () => {});
    await runtime.start();
    const warnings = lines.filter((line) => line.includes("a handler waits"));
    assert.equal(warnings.length, 2);
    assert.match(
      warnings[0],
      /Orders: a handler waits for "shipped".*extend service Orders with \{ event shipped/,
    );
    assert.match(warnings[1], /Orders: a handler waits for "submited".*did you mean "submitted"\?/);
  } finally {
    console.warn = warn;
    await runtime.close();
  }
});

Deno.test("the kind of messaging is chosen by profile [2.7.profile]", async () => {
  await inFolder(async (folder) => {
    const entry = {
      kind: "local-messaging",
      "[test]": { kind: "file-based-messaging", file: `${folder}/box` },
    };
    for (const [profiles, lines] of [[["development"], 0], [["test"], 1]] as const) {
      const runtime = createRuntime({
        model: { definitions: order },
        profiles,
        handlers: submitting,
        env: {
          requires: { auth: { kind: "dummy" }, db: null, messaging: entry },
          log: { levels: { default: "silent" } },
        },
        kinds: { channels: { "file-based-messaging": () => createFileChannel } },
      });
      assert.ok((await submit(runtime)).ok);
      assert.equal(boxLines(`${folder}/box`).length, lines);
      await runtime.close();
    }
  });
});

Deno.test("events of a change set leave only when all of it commits", async () => {
  await inFolder(async (folder) => {
    const requires = { messaging: { kind: "file-based-messaging", file: `${folder}/box` } };
    const runtime = start({ definitions: order }, submitting, requires, "sender");
    const batch = async (...fails: readonly boolean[]) => {
      const requests = fails.map((fail, n) => ({
        ...{ id: String(n), atomicityGroup: "g", method: "post", url: "submit" },
        ...{ headers: { "content-type": "application/json" }, body: { fail } },
      }));
      const request = new Request("http://localhost/odata/v4/orders/$batch", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ requests }),
      });
      return (await (await runtime.fetch(request)).json()).responses.map((one: { status: number }) =>
        one.status
      );
    };
    assert.ok((await batch(false, true)).includes(400));
    assert.deepEqual(boxLines(`${folder}/box`), []);
    assert.deepEqual(await batch(false, false), [204, 204]);
    assert.equal(boxLines(`${folder}/box`).length, 2);
    await runtime.close();
  });
});

Deno.test("a start warns of topics that are almost those of declared events, and of their local names [6.3.2]", async () => {
  const { warn } = console;
  const lines: string[] = [];
  console.warn = (line: string) => void lines.push(line);
  const runtime = createRuntime({
    model: {
      definitions: {
        "Shop": { kind: "service" },
        "Shop.ordered": { kind: "event", elements: {} },
        "Shop.shipped": { kind: "event", elements: {}, "@topic": "shop/shipped/v1" },
      },
    },
    env: { requires: { auth: { kind: "dummy" }, db: null, messaging: { kind: "local-messaging" } } },
  });
  try {
    const messaging = await runtime.connect("messaging");
    for (const topic of ["Shop.ordered", "shop/shipped/v1", "*", "other/system/created"]) {
      messaging.on(topic, () => {});
    }
    for (const topic of ["Shop.orderd", "ordered", "shop/shiped/v1"]) messaging.on(topic, () => {});
    await runtime.start();
    const warnings = lines.filter((line) => line.includes("a handler waits"));
    assert.deepEqual(warnings.map((line) => /"(.*?)".*did you mean "(.*)"/.exec(line)?.slice(1)), [
      ["Shop.orderd", "Shop.ordered"],
      ["ordered", "Shop.ordered"],
      ["shop/shiped/v1", "shop/shipped/v1"],
    ]);
  } finally {
    console.warn = warn;
    await runtime.close();
  }
});

Deno.test("a service that is switched off is told as such, and not as the nearest of itself", async () => {
  const runtime = createRuntime({
    model: { definitions: {} },
    env: { requires: { auth: { kind: "dummy" }, db: null, messaging: false } },
  });
  try {
    await assert.rejects(() => runtime.connect("messaging"), {
      name: "ConfigurationError",
      message: 'The service "messaging" is switched off: "fw.requires.messaging" is false',
    });
    await assert.rejects(() => runtime.connect("messagin"), {
      message: 'There is no service "messagin", served or below "fw.requires"',
    });
  } finally {
    await runtime.close();
  }
});
