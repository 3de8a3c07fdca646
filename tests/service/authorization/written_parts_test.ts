/** Deep writes of parts that have restrictions of their own (auth 7). */

import assert from "node:assert/strict";
import { createRuntime } from "../../../src/fw/create_runtime.ts";
import { User } from "../../../src/context/user.ts";
import type { Query, Row } from "../../../src/cqn/cqn.ts";
import { parseExpression } from "../../../src/cqn/parse_cql.ts";
import { compileCdl, parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { ServiceRequest } from "../../../src/service/requests/service_request.ts";
import { withApp } from "../../data/app.ts";

const TEXT = `
service S {
  entity Orders { key ID: Integer; note: String; items: Composition of many Items on items.order = $self; }
  @restrict: [
    { grant: 'READ' },
    { grant: ['CREATE', 'UPDATE'], to: 'seller', where: 'price < 100' },
    { grant: 'DELETE', to: 'seller', where: 'price < 10' },
    { grant: 'UPDATE', to: 'clerk' },
    { to: 'boss' }
  ]
  entity Items { key ID: Integer; price: Integer; order: Association to Orders; }
}`;
const users = {
  sally: { roles: ["seller"] },
  boss: { roles: ["boss"] },
  carl: { roles: ["clerk"] },
  nora: {},
};
const ITEMS = [{ ID: 1, price: 5, order_ID: 1 }, { ID: 2, price: 50, order_ID: 1 }];

type Patch = (
  as: string,
  items: readonly object[],
  call?: string,
) => Promise<[status: number, items: string]>;

/** Runs a test that writes items with their order, and sees which items there are then. */
async function withOrders(run: (patch: Patch) => Promise<void>): Promise<void> {
  const model = compileCdl(["m.cds"], {
    readFile: (path) => path === "m.cds" ? TEXT : undefined,
    isFile: (path) => path === "m.cds",
  });
  const env = {
    log: { levels: { default: "silent" } },
    requires: { auth: { kind: "mocked", users }, db: { kind: "memory" } },
  };
  const data = new Map<string, Record<string, unknown>[]>([["S.Orders", [{ ID: 1, note: "a" }]], [
    "S.Items",
    ITEMS,
  ]]);
  const runtime = createRuntime({ model, env, data: structuredClone(data) });
  const send = (as: string, method: string, path: string, body?: object) =>
    runtime.fetch(
      new Request(`http://localhost/odata/v4/s/${path}`, {
        method,
        headers: {
          authorization: `Basic ${btoa(`${as}:`)}`,
          ...(body ? { "content-type": "application/json" } : {}),
        },
        body: body && JSON.stringify(body),
      }),
    );
  try {
    await run(async (as, items, call = "PATCH Orders(1)") => {
      const [method, path] = call.split(" ") as [string, string];
      const name = call.endsWith(" @delta") ? "items@delta" : "items";
      const response = await send(as, method, path, {
        ...(method === "POST" ? { ID: 2 } : {}),
        [name]: items,
      });
      await response.body?.cancel();
      const read = await send("boss", "GET", "Items?$orderby=ID");
      const { value } = await read.json() as { value: { ID: number; price: number }[] };
      return [response.status, value.map(({ ID, price }) => `${ID}:${price}`).join(" ")];
    });
  } finally {
    await runtime.close();
  }
}

const OLD = "1:5 2:50";

Deno.test("parts are created with their whole only as their restriction permits", () =>
  withOrders(async (patch) => {
    assert.deepEqual(await patch("nora", [{ ID: 3, price: 1 }], "POST Orders"), [403, OLD]);
    assert.deepEqual(await patch("sally", [{ ID: 3, price: 500 }], "POST Orders"), [403, OLD]);
    assert.deepEqual(await patch("sally", [{ ID: 3, price: 99 }], "POST Orders"), [201, `${OLD} 3:99`]);
  }));

Deno.test("parts are changed with their whole only as they are and will be permitted", () =>
  withOrders(async (patch) => {
    assert.deepEqual(await patch("nora", [{ ID: 1 }, { ID: 2 }]), [403, OLD]);
    assert.deepEqual(await patch("sally", [{ ID: 1, price: 500 }, { ID: 2 }]), [403, OLD]);
    assert.deepEqual(await patch("boss", [{ ID: 1, price: 500 }, { ID: 2 }]), [200, "1:500 2:50"]);
    assert.deepEqual(await patch("sally", [{ ID: 1, price: 5 }, { ID: 2 }]), [403, "1:500 2:50"]);
    assert.deepEqual(await patch("sally", [{ ID: 2, price: 51 }]), [403, "1:500 2:50"]);
  }));

Deno.test("who may change parts, and nothing else, changes them with their whole and creates none", () =>
  withOrders(async (patch) => {
    assert.deepEqual(await patch("carl", [{ ID: 1, price: 6 }, { ID: 2 }]), [200, "1:6 2:50"]);
    assert.deepEqual(await patch("carl", [{ ID: 1 }, { ID: 2 }, { ID: 3, price: 1 }]), [403, "1:6 2:50"]);
    assert.deepEqual(await patch("carl", [{ ID: 1 }]), [403, "1:6 2:50"]);
    assert.deepEqual(await patch("carl", [{ ID: 3, price: 1 }], "POST Orders"), [403, "1:6 2:50"]);
  }));

Deno.test("parts that a deep update leaves out are deleted only by those who may", () =>
  withOrders(async (patch) => {
    assert.deepEqual(await patch("nora", []), [403, OLD]);
    assert.deepEqual(await patch("sally", [{ ID: 1 }]), [403, OLD]);
    assert.deepEqual(await patch("sally", [{ ID: 2 }]), [200, "2:50"]);
    assert.deepEqual(await patch("boss", []), [200, ""]);
    assert.deepEqual(await patch("nora", []), [200, ""]);
  }));

Deno.test("changes of parts look at the parts they name only", () =>
  withOrders(async (patch) => {
    const delta = "PATCH Orders(1) @delta";
    assert.deepEqual(await patch("boss", [{ ID: 2, price: 500 }], delta), [200, "1:5 2:500"]);
    assert.deepEqual(await patch("nora", [{ ID: 1, price: 6 }], delta), [403, "1:5 2:500"]);
    assert.deepEqual(await patch("sally", [{ ID: 1, price: 6 }], delta), [200, "1:6 2:500"]);
    assert.deepEqual(await patch("sally", [{ ID: 1, price: 600 }], delta), [403, "1:6 2:500"]);
    assert.deepEqual(await patch("sally", [{ ID: 2, price: 5 }], delta), [403, "1:6 2:500"]);
    assert.deepEqual(await patch("sally", [{ "@removed": {}, ID: 2 }], delta), [403, "1:6 2:500"]);
    assert.deepEqual(await patch("sally", [{ "@removed": {}, ID: 1 }, { ID: 3, price: 1 }], delta), [
      200,
      "2:500 3:1",
    ]);
  }));

Deno.test("parts in a view without what conditions look at are changed by those who may not create them (auth 7)", async () => {
  const model = parseCdl(`
    entity my.Orders { key ID: Integer; items: Composition of many my.Items on items.order = $self; }
    @restrict: [{ grant: ['READ', 'UPDATE'], to: 'any', where: 'price > 0' }, { to: 'boss' }]
    entity my.Items { key ID: Integer; price: Integer; note: String; order: Association to my.Orders; }
    @requires: 'any' service S { @requires: 'any' entity Orders as projection on my.Orders; entity Items as projection on my.Items { ID, note, order }; }`);
  const env = {
    log: { levels: { default: "silent" } },
    requires: { auth: { kind: "mocked", users }, db: { kind: "memory" } },
  };
  const data = new Map<string, Record<string, unknown>[]>([["my.Orders", [{ ID: 1 }]], [
    "my.Items",
    structuredClone(ITEMS),
  ]]);
  const runtime = createRuntime({ model, env, data });
  const patch = async (as: string | undefined, items: readonly object[]) => {
    const headers = new Headers({ "content-type": "application/json" });
    if (as) headers.set("authorization", `Basic ${btoa(`${as}:`)}`);
    const body = JSON.stringify({ items });
    const response = await runtime.fetch(
      new Request("http://localhost/odata/v4/s/Orders(1)", { method: "PATCH", headers, body }),
    );
    await response.body?.cancel();
    return response.status;
  };
  try {
    for (const [as, refused] of [["nora", 403], [undefined, 401]] as const) {
      assert.equal(await patch(as, [{ ID: 1, note: "a" }, { ID: 2 }]), 200);
      assert.equal(await patch(as, [{ ID: 1 }, { ID: 2 }, { ID: 3 }]), refused);
    }
  } finally {
    await runtime.close();
  }
});

const WHOLES = {
  model: `service Test {
    entity Wholes { key ID : Integer; parts : Composition of many Parts on parts.whole = $self; }
    @restrict: [{ where: (price < 100) }]
    entity Parts { key at : Time; price : Integer; whole : Association to Wholes; } }`,
  rows: {
    "Test.Wholes": [{ ID: 1 }, { ID: 2 }],
    "Test.Parts": [{ at: "10:00:00", price: 50, whole_ID: 1 }, { at: "11:00:00", price: 500, whole_ID: 2 }],
  },
};
const whole = (ID: number) => ({ ref: [{ id: "Test.Wholes", where: parseExpression(`ID = ${ID}`) }] });

type WriteWhole = (event: string, data: Row & { readonly ID: number }, query?: Query) => Promise<unknown>;

/** Runs a test that writes wholes with their parts as a user, and sees which parts there are then. */
function withWholes(
  run: (write: WriteWhole) => Promise<void>,
  user = new User({ id: "ann" }),
): Promise<void> {
  return withApp(WHOLES, ({ runtime }) => {
    const service = runtime.services.Test!;
    const target = runtime.model.entity("Test.Wholes")!;
    return run(async (event, { ID, parts }, query) => {
      const given = event === "UPDATE" ? { subject: whole(ID), data: { parts } } : { data: { ID, parts } };
      const request = () => new ServiceRequest({ event, target, query, ...given });
      const status = await service.tx({ user }, (tx) => tx.dispatch(request())).then(() => 200, statusOf);
      const columns = [{ ref: ["at"] }, { ref: ["price"] }];
      const read: Query = { SELECT: { from: { ref: ["Test.Parts"] }, columns, orderBy: [{ ref: ["at"] }] } };
      const found = await service.tx({ user: User.privileged }, (tx) => tx.run(read)) as Row[];
      return [status, found.map(({ at, price }) => `${at}=${price}`).join(" ")];
    });
  });
}

function statusOf(error: { readonly status?: unknown }): number {
  return Number(error.status);
}

for (const event of ["UPDATE", "UPSERT"]) {
  Deno.test(`${event} without a query writes parts only as they are and will be permitted (auth 7)`, () =>
    withWholes(async (write) => {
      const old = "10:00:00=50 11:00:00=500";
      assert.deepEqual(await write(event, { ID: 1, parts: [{ at: "10:00:00", price: 500 }] }), [403, old]);
      assert.deepEqual(await write(event, { ID: 2, parts: [{ at: "11:00:00", price: 5 }] }), [403, old]);
      assert.deepEqual(await write(event, { ID: 2, parts: [] }), [403, old]);
      const now = "10:00:00=60 11:00:00=500";
      assert.deepEqual(await write(event, { ID: 1, parts: [{ at: "10:00:00", price: 60 }] }), [200, now]);
      assert.deepEqual(await write(event, { ID: 1, parts: [] }), [200, "11:00:00=500"]);
    }));
}

Deno.test("a part whose key is written otherwise than it is stored is changed only as it is permitted (auth 7)", () =>
  withWholes(async (write) => {
    const parts = [{ at: "11:00", price: 5 }];
    const query: Query = { UPDATE: { entity: whole(2), data: { parts } } };
    assert.deepEqual(await write("UPDATE", { ID: 2, parts }, query), [403, "10:00:00=50 11:00:00=500"]);
  }));

Deno.test("only parts of the rows that a query finds count where it is not certain which of them are changed (auth 7)", () =>
  withWholes(async (write) => {
    const parts = [{ at: "10:00", price: 5 }];
    const query: Query = {
      UPDATE: { entity: "Test.Wholes", data: { parts }, where: parseExpression("ID = 1") },
    };
    assert.deepEqual(await write("UPDATE", { ID: 1, parts }, query), [200, "10:00:00=5 11:00:00=500"]);
  }));

Deno.test("privileged users write any parts, whatever conditions say (auth 7)", () =>
  withWholes(async (write) => {
    const [kept, added] = [{ at: "11:00:00", price: 600 }, { at: "12:00:00", price: 700 }];
    const changed = await write("UPDATE", { ID: 2, parts: [kept] });
    assert.deepEqual(changed, [200, "10:00:00=50 11:00:00=600"]);
    assert.deepEqual(await write("UPSERT", { ID: 2, parts: [added] }), [200, "10:00:00=50 12:00:00=700"]);
  }, User.privileged));

Deno.test("parts of parts are created, changed and left out only as their own restriction permits (auth 7)", () =>
  withApp({
    model: `service Test {
      entity Wholes { key ID : Integer; parts : Composition of many Parts on parts.whole = $self; }
      entity Parts { key ID : Integer; whole : Association to Wholes; marks : Composition of many Marks on marks.part = $self; }
      @restrict: [{ where: (price < 100) }]
      entity Marks { key ID : Integer; price : Integer; part : Association to Parts; } }`,
    rows: {
      "Test.Wholes": [{ ID: 1 }],
      "Test.Parts": [{ ID: 1, whole_ID: 1 }],
      "Test.Marks": [{ ID: 1, price: 50, part_ID: 1 }, { ID: 2, price: 500, part_ID: 1 }],
    },
  }, async ({ patch, runtime }) => {
    const write = async (marks: readonly Row[]) => {
      const { status } = await patch("Wholes(1)", { "parts@delta": [{ ID: 1, "marks@delta": marks }] });
      const read: Query = {
        SELECT: {
          from: { ref: ["Test.Marks"] },
          orderBy: [{ ref: ["ID"] }],
          columns: ["ID", "price"].map((name) => ({ ref: [name] })),
        },
      };
      const rows = await runtime.services.Test!.tx({ user: User.privileged }, (tx) => tx.run(read)) as Row[];
      return [status, rows.map(({ ID, price }) => `${ID}:${price}`).join(" ")];
    };
    assert.deepEqual(await write([{ ID: 2, price: 5 }]), [403, "1:50 2:500"]);
    assert.deepEqual(await write([{ ID: 1, price: 600 }]), [403, "1:50 2:500"]);
    assert.deepEqual(await write([{ ID: 3, price: 600 }]), [403, "1:50 2:500"]);
    assert.deepEqual(await write([{ "@removed": {}, ID: 2 }]), [403, "1:50 2:500"]);
    assert.deepEqual(await write([{ ID: 1, price: 60 }, { ID: 3, price: 6 }]), [200, "1:60 2:500 3:6"]);
    assert.deepEqual(await write([{ "@removed": {}, ID: 1 }]), [200, "2:500 3:6"]);
  }));

Deno.test("parts of parts that everybody may change and delete are created only as their restriction permits (auth 7)", () =>
  withApp({
    model: `service Test {
      entity Wholes { key ID : Integer; parts : Composition of many Parts on parts.whole = $self; }
      entity Parts { key ID : Integer; whole : Association to Wholes; marks : Composition of many Marks on marks.part = $self; }
      @restrict: [{ grant: ['READ', 'UPDATE', 'DELETE'] }, { grant: 'CREATE', where: (price < 100) }]
      entity Marks { key ID : Integer; price : Integer; part : Association to Parts; } }`,
    rows: { "Test.Wholes": [{ ID: 1 }], "Test.Parts": [{ ID: 1, whole_ID: 1 }] },
  }, async ({ patch }) => {
    const create = async (mark: Row) =>
      (await patch("Wholes(1)", { "parts@delta": [{ ID: 1, "marks@delta": [mark] }] })).status;
    assert.equal(await create({ ID: 1, price: 600 }), 403);
    assert.equal(await create({ ID: 1, price: 6 }), 200);
  }));

Deno.test("parts of wholes that cannot be found by keys are not written by those who are limited (auth 7)", () =>
  withApp({
    model: `service Test {
      entity Wholes { name : String; parts : Composition of many Parts on parts.whole = name; }
      @restrict: [{ where: (price < 100) }] entity Parts { key ID : Integer; price : Integer; whole : String; } }`,
  }, async ({ runtime }) => {
    const service = runtime.services.Test!;
    const target = runtime.model.entity("Test.Wholes")!;
    const create = (user: User, ID: number) => {
      const data = { name: "x", parts: [{ ID, price: 50 }] };
      const write = service.tx(
        { user },
        (tx) => tx.dispatch(new ServiceRequest({ event: "CREATE", target, data })),
      );
      return write.then(() => 200, statusOf);
    };
    assert.equal(await create(new User({ id: "ann" }), 1), 403);
    assert.equal(await create(User.privileged, 2), 200);
  }));

Deno.test("parts that are keyed by their whole are told apart by its keys, whatever these are (auth 7)", () =>
  withApp({
    model: `service Test {
      entity Wholes { key ID : String; parts : Composition of many Parts on parts.whole = $self; }
      @restrict: [{ where: (price < 100) }]
      entity Parts { key whole : Association to Wholes; key pos : Integer; price : Integer; } }`,
    rows: {
      "Test.Wholes": [{ ID: "undefined" }, { ID: "a" }],
      "Test.Parts": [{ whole_ID: "undefined", pos: 1, price: 5 }, { whole_ID: "a", pos: 1, price: 500 }],
    },
  }, async ({ runtime }) => {
    const target = runtime.model.entity("Test.Wholes")!;
    const upsert = (...wholes: readonly string[]) => {
      const data = wholes.map((ID) => ({ ID, parts: [{ pos: 1, price: 6 }] }));
      const write = runtime.services.Test!.tx(
        { user: new User({ id: "ann" }) },
        (tx) => tx.dispatch(new ServiceRequest({ event: "UPSERT", target, data })),
      );
      return write.then(() => 200, statusOf);
    };
    assert.equal(await upsert("undefined", "a"), 403);
    assert.equal(await upsert("undefined"), 200);
  }));

Deno.test("no more is read about parts than it takes to know that they may be written (auth 7)", () =>
  withApp({
    model: `service Test {
      entity Wholes { key ID : Integer; parts : Composition of many Parts on parts.whole = $self; }
      @restrict: [{ grant: ['READ', 'CREATE', 'UPDATE'] }, { grant: 'DELETE', where: (price < 100) }, { to: 'boss' }]
      entity Parts { key ID : Integer; price : Integer; whole : Association to Wholes; } }`,
    env: { requires: { db: { kind: "sqlite" }, auth: { kind: "mocked", users: { ...users, ann: {} } } } },
    rows: {
      "Test.Wholes": [{ ID: 1 }],
      "Test.Parts": [1, 2, 3].map((ID) => ({ ID, price: 5, whole_ID: 1 })),
    },
  }, async ({ send, runtime }) => {
    let reads = 0;
    runtime.db!.before("READ", "*", () => void reads++);
    const readsOf = async (user: string, call: string, body: object): Promise<number> => {
      const [method, path] = call.split(" ") as [string, string];
      reads = 0;
      const { status, text } = await send(method, path, { user, body });
      assert.ok(status < 300, text);
      return reads;
    };
    const parts = [{ ID: 1, price: 6 }, { ID: 2 }, { ID: 3 }];
    // one reads the answer
    assert.equal(await readsOf("boss", "PATCH Wholes(1)", { parts }), 1);
    assert.equal(await readsOf("boss", "POST Wholes", { ID: 2, parts: [{ ID: 4 }] }), 1);
    // the parts before and after, and once for all of them whether they may be deleted
    assert.equal(await readsOf("ann", "PATCH Wholes(1)", { parts }), 4);
    // a new whole has no parts before
    assert.equal(await readsOf("ann", "POST Wholes", { ID: 3, parts: [{ ID: 5 }] }), 2);
  }));
