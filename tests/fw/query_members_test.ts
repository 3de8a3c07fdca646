import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { createRuntime } from "../../src/fw/create_runtime.ts";
import { denoKinds } from "../../src/deno/deno_kinds.ts";
import "../../src/deno/load_project.ts";
import { fw } from "../../src/fw.ts";
import type { Recorder } from "../../src/cqn/builders/projection_recorder.ts";
import type { Runtime } from "../../src/fw/runtime.ts";
import type { ServiceRequest } from "../../src/service/requests/service_request.ts";
import { compileText } from "../../src/deno/compiler.ts";

const MODEL = `
entity db.Orders {
  key ID : Integer; title : String; total : Decimal(9,2); big : Int64; day : Date;
  items : Composition of many db.Items on items.parent = $self;
  parent : Association to db.Orders;
  children : Composition of many db.Orders on children.parent = $self;
}
entity db.Items { key ID : Integer; parent : Association to db.Orders; what : String; count : Integer; }
service Shop {
  entity Orders as projection on db.Orders actions { action order (what : String, count : Integer) returns String; };
}`;

const { SELECT, INSERT, UPDATE } = fw.ql;

async function withShop(
  test: (runtime: Runtime) => Promise<void>,
  { features = {}, handlers = {} }: { features?: object; handlers?: Record<string, (srv: never) => void> } =
    {},
): Promise<void> {
  const runtime = createRuntime({
    model: compileText(MODEL),
    kinds: denoKinds,
    handlers: handlers as never,
    env: {
      features,
      requires: { db: { kind: "sqlite", credentials: { url: ":memory:" } }, auth: { kind: "dummy" } },
      log: { levels: { default: "silent" } },
    },
  });
  try {
    await runtime.start();
    await test(runtime);
  } finally {
    await runtime.close();
  }
}

Deno.test("databases create and drop tables by CREATE and DROP", async () => {
  await withShop(async ({ db }) => {
    await db!.run({ DROP: { entity: "db.Items" } });
    await assert.rejects(async () => await SELECT.from("db.Items"));
    await db!.run({ CREATE: { entity: "db.Items" } });
    assert.deepEqual(await SELECT.from("db.Items"), []);
    await INSERT.into("db.Items").entries({ ID: 1, what: "a" });
    await db!.run({ CREATE: { entity: "copy.Items", as: SELECT.from("db.Items").columns("ID", "what") } });
    assert.deepEqual(await db!.run("SELECT * FROM copy_Items"), [{ ID: 1, what: "a" }]);
    await db!.run({ DROP: { table: { ref: ["copy.Items"] } } });
    const elements = { ID: { type: "cds.Integer", key: true } };
    await db!.run({ CREATE: { entity: new fw.entity({ name: "own.Made", elements }) as { name: string } } });
    assert.deepEqual(await db!.run("SELECT * FROM own_Made"), []);
    await db!.run({ DROP: { entity: "db.Items" } });
    await db!.run({ CREATE: { entity: fw.entities("db").Items } });
    assert.deepEqual(await SELECT.from("db.Items"), []);
    await assert.rejects(() => db!.run({ CREATE: { entity: "db.Nothing" } }), /no entity "db.Nothing"/);
  });
});

Deno.test("features.ieee754compatible reads Decimal and Int64 as texts, in nested results as well", async () => {
  await withShop(async () => {
    await INSERT.into("db.Orders").entries({ ID: 1, total: 1.5, big: 12, children: [{ ID: 2, total: 3 }] });
    const read = SELECT.one.from("db.Orders", 1).columns("total", "big", {
      ref: ["children"],
      expand: ["*"],
    });
    const { total, big, children } = await read as {
      total: string;
      big: string;
      children: { total: string }[];
    };
    assert.deepEqual([total, big, children[0].total], ["1.50", "12", "3.00"]);
    const answer = await fw.runtime.fetch(
      new Request("http://localhost/odata/v4/shop/Orders(1)?$select=total,big"),
    );
    const { total: number, big: whole } = await answer.json();
    assert.deepEqual([number, whole], ["1.50", "12"]);
    const accept = "application/json;IEEE754Compatible=false";
    const asked = await fw.runtime.fetch(
      new Request("http://localhost/odata/v4/shop/Orders(1)?$select=total", { headers: { accept } }),
    );
    assert.equal((await asked.json()).total, 1.5, "what the client asks for counts");
  }, { features: { ieee754compatible: true } });
  await withShop(async () => {
    await INSERT.into("db.Orders").entries({ ID: 1, total: 1.5, big: 12 });
    assert.deepEqual(await SELECT.one.from("db.Orders", 1).columns("total", "big"), { total: 1.5, big: 12 });
  });
});

Deno.test("INSERT takes rows of generators and streams, and tells how many there were", async () => {
  await withShop(async () => {
    function* rows(from: number) {
      for (let ID = from; ID < from + 2; ID++) yield { ID };
    }
    const { affected } = await INSERT(rows(1) as never).into("db.Orders") as unknown as { affected: number };
    assert.equal(affected, 2);
    await INSERT(Readable.from(rows(3)) as never).into("db.Orders");
    await INSERT(
      Readable.from(['[{"ID":5},', '{"ID":6}]'].map((text) => new TextEncoder().encode(text))) as never,
    )
      .into("db.Orders");
    assert.equal((await SELECT.from("db.Orders")).length, 6);
  });
});

Deno.test("expressions that programs made stand in texts, objects from outside never do", async () => {
  await withShop(async () => {
    await INSERT.into("db.Orders").entries({ ID: 1, title: "a" }, { ID: 2, title: "b" });
    const isA = fw.parse.expr`title = ${"a"}`;
    assert.deepEqual(await fw.ql`SELECT ID from db.Orders where ${isA}`, [{ ID: 1 }]);
    assert.deepEqual(await fw.ql`SELECT ID from db.Orders where ${{ xpr: ["not", isA] }}`, [{ ID: 2 }]);
    assert.deepEqual(await fw.ql`SELECT ID from db.Orders where ID = ${fw.ql.val(2)}`, [{ ID: 2 }]);
    const outside = JSON.parse('{"ref":["title"]}');
    assert.throws(() => fw.ql`SELECT ID from db.Orders where title = ${outside}`, /Expected a value/);
    fw.ql.val(outside);
    assert.throws(() => fw.ql`SELECT ID from db.Orders where title = ${outside}`, /Expected a value/);
    assert.throws(() => fw.ql`SELECT ID from db.Orders where ${{ xpr: ["true"] }}`, /Expected a value/);
    assert.deepEqual(
      await SELECT.from("db.Orders").columns("ID").where({ ref: ["title"] } as never, "=", { val: "b" }),
      [{ ID: 2 }],
    );
  });
});

Deno.test("queries tell the elements of their rows, and repeat nested results level by level", async () => {
  await withShop(async ({ model }) => {
    const { Orders, Items } = fw.entities("db");
    assert.equal(SELECT.from("db.Orders").elements.title, Orders.elements.title);
    const some = SELECT.from("db.Items").columns("parent.title as name", "count(*) as all").elements;
    assert.deepEqual(Object.keys(some), ["name", "all"]);
    assert.equal(some.name, Orders.elements.title);
    assert.equal(Items.elements.parent._target, Orders);
    await INSERT.into("db.Orders").entries({ ID: 1, children: [{ ID: 2, children: [{ ID: 3 }] }] });
    const read = (levels: number) =>
      SELECT.one.from("db.Orders", (o: Recorder) => {
        o.ID, o.children((c: Recorder) => c.ID, { levels });
      }).where({ ID: 1 });
    assert.deepEqual(await read(2), { ID: 1, children: [{ ID: 2, children: [{ ID: 3 }] }] });
    assert.deepEqual(await read(1), { ID: 1, children: [{ ID: 2 }] });
    assert.throws(() => read(99), /1 to 20 levels/);
    assert.deepEqual(Object.keys(model.childrenOf("db")), ["Orders", "Items"]);
    assert.deepEqual([...model.childrenOf(model.service("Shop")!)].map(String), [
      "Shop.Orders",
      "Shop.Items",
    ]);
  });
});

Deno.test("srv.get() reads an entity by key, bound actions take single arguments", async () => {
  const handlers = {
    Shop: (srv: { on(event: string, entity: string, run: (req: ServiceRequest) => unknown): void }) =>
      srv.on("order", "Orders", ({ data, params }) => `${JSON.stringify([data, { ...params[0] }])}`),
  };
  await withShop(async ({ services }) => {
    const { Shop } = services;
    await INSERT.into("db.Orders").entries({ ID: 1, title: "a" });
    const row = await Shop.get(Shop.entities.Orders, 1) as { title: string };
    assert.equal(row.title, "a");
    const called = Shop as unknown as { order(...given: unknown[]): Promise<string> };
    assert.equal(await called.order("Orders", 1, "x", 2), '[{"what":"x","count":2},{"ID":1}]');
  }, { handlers });
});

Deno.test("req.diff() tells what a request changes of a row and of its parts", async () => {
  const seen: unknown[] = [];
  const handlers = {
    Shop: (srv: { before(events: string[], entity: string, run: (req: ServiceRequest) => unknown): void }) =>
      srv.before(["CREATE", "UPDATE", "DELETE"], "Orders", async (req) => void seen.push(await req.diff())),
  };
  await withShop(async () => {
    const send = async (method: string, body?: object) => {
      const url = `http://localhost/odata/v4/shop/Orders${method === "POST" ? "" : "(1)"}`;
      const headers = { "content-type": "application/json" };
      const answer = await fw.runtime.fetch(
        new Request(url, { method, headers, body: JSON.stringify(body) }),
      );
      assert.ok(answer.ok, await answer.text());
    };
    await send("POST", {
      ID: 1,
      title: "a",
      total: 1.5,
      items: [{ ID: 1, what: "x" }, { ID: 2, what: "y" }],
    });
    await send("PATCH", {
      title: "b",
      total: 1.5,
      items: [{ ID: 1, what: "x" }, { ID: 2, what: "z" }, { ID: 3, what: "new" }],
    });
    await send("PATCH", { title: "b", items: [{ ID: 1 }] });
    await UPDATE("db.Orders", 1).with({ title: "c" });
    await send("DELETE");
    const [made, first, second, gone] = seen as Record<string, unknown>[];
    assert.equal(made._op, "create");
    assert.deepEqual((made.items as Record<string, unknown>[]).map(({ _op }) => _op), ["create", "create"]);
    assert.deepEqual([first._op, first.ID, first.title, first._old, "total" in first], ["update", 1, "b", {
      title: "a",
    }, false]);
    const parts = (first.items as Record<string, unknown>[]).map((
      { _op, ID, what, _old },
    ) => [_op, ID, what, _old]);
    assert.deepEqual(parts, [["update", 2, "z", { what: "y" }], ["create", 3, "new", undefined]]);
    const removed = (second.items as Record<string, unknown>[]).map(({ _op, ID }) => [_op, ID]);
    assert.deepEqual(removed, [["delete", 2], ["delete", 3]]);
    assert.deepEqual([gone._op, gone.title], ["delete", "c"]);
  }, { handlers });
});
