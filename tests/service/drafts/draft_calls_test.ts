/** `srv.new`, `srv.edit`, `srv.save` and `srv.discard`: how handlers work with drafts (drafts 6). */

import assert from "node:assert/strict";
import fw, { type ApplicationService, createRuntime, type Row, type Runtime, SELECT } from "../../../mod.ts";
import { denoKinds } from "../../../src/deno/deno_kinds.ts";
import { compileCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { uniqueName } from "../../contract/services.ts";
import { credentials, dropSchemas, server } from "../../db/postgres.ts";

const SOURCE = `
  entity my.Orders { key ID : Integer; title : String(10); note : String(10); state : String(10) default 'open';
    items : Composition of many my.Items on items.order = $self; }
  entity my.Items { key ID : Integer; order : Association to my.Orders; }
  entity my.Plain { key ID : Integer; }
  service Shop {
    @odata.draft.enabled entity Orders as projection on my.Orders;
    entity Items as projection on my.Items;
    entity Plain as projection on my.Plain;
  }`;

interface Shop {
  readonly srv: ApplicationService;
  readonly db: Runtime["db"];
  /** Runs as a user. */
  as<T>(user: string | InstanceType<typeof fw.User>, run: () => PromiseLike<T>): Promise<T>;
  /** The titles of a table, with the keys. */
  titles(entity: string): Promise<(readonly unknown[])[]>;
}

async function withShop(run: (shop: Shop) => Promise<void>, kind = "sqlite"): Promise<void> {
  const schema = uniqueName();
  const runtime = createRuntime({
    model: compileCdl(["m.cds"], { readFile: (path) => path === "m.cds" ? SOURCE : undefined }),
    kinds: denoKinds,
    env: {
      requires: {
        auth: { kind: "mocked" },
        db: kind === "postgres" ? { kind, credentials: credentials(schema) } : { kind },
      },
      log: { levels: { default: "silent" } },
    },
    data: new Map<string, Row[]>([
      ["my.Orders", [{ ID: 1, title: "first", note: "n" }]],
      ["my.Items", [{ ID: 10, order_ID: 1 }]],
    ]),
  });
  await runtime.start();
  try {
    const srv = runtime.services.Shop as ApplicationService;
    const as: Shop["as"] = (user, work) => srv.tx({ user }, async () => await work()) as never;
    const titles = async (entity: string) => {
      const rows = await runtime.db!.run(SELECT.from(entity).orderBy("ID")) as Row[];
      return rows.map(({ ID, title }) => [ID, title]);
    };
    await run({ srv, db: runtime.db, as, titles });
  } finally {
    await runtime.close();
    if (kind === "postgres") await dropSchemas(schema);
  }
}

const codeIs = (status: number, code: string) => ({ status, code });

Deno.test("srv.new() makes a draft and gives its keys; the data of the caller stay as they were", () =>
  withShop(async ({ srv, as, titles }) => {
    const data = { ID: 2, title: "new" };
    assert.deepEqual(await as("ann", () => srv.new("Orders", data)), { ID: 2, IsActiveEntity: false });
    assert.deepEqual(data, { ID: 2, title: "new" });
    assert.deepEqual(await titles("Shop.Orders.drafts"), [[2, "new"]]);
    await assert.rejects(as("ann", () => srv.new("Orders")), codeIs(400, "ASSERT_MANDATORY"));
  }));

Deno.test("srv.new() refuses values of other types than the elements have", () =>
  withShop(async ({ srv, as, titles }) => {
    for (const wrong of [{ title: 7 }, { title: "longer than ten" }, { items: 7 }]) {
      await assert.rejects(as("ann", () => srv.new("Orders", { ID: 2, ...wrong })), { status: 400 });
    }
    assert.deepEqual(await titles("Shop.Orders.drafts"), []);
  }));

Deno.test("handlers behind NEW see of which kind the row is, and not what the database filled in", () =>
  withShop(async ({ srv, as }) => {
    const seen: Row[] = [];
    srv.after("NEW", "Orders.drafts", (row) => void seen.push({ ...row as Row }));
    await as("ann", () => srv.new("Orders", { ID: 2, title: "new" }));
    const [{ DraftAdministrativeData_DraftUUID: uuid, ...row }] = seen as [Row];
    assert.deepEqual(row, { ID: 2, title: "new", HasActiveEntity: false, IsActiveEntity: false });
    assert.match(String(uuid), /^[0-9a-f-]{36}$/);
  }));

Deno.test("srv.edit() gives the draft of an active instance, srv.save() writes it and gives the keys", () =>
  withShop(async ({ srv, as, titles }) => {
    const row = await as("ann", () => srv.edit("Orders", { ID: 1, IsActiveEntity: true }));
    assert.deepEqual([row.ID, row.title, row.note, row.IsActiveEntity], [1, "first", "n", false]);
    const again = as("ann", () => srv.edit("Orders", { ID: 1 }));
    await assert.rejects(again, codeIs(409, "DRAFT_ALREADY_EXISTS"));
    await as("ann", () => srv.update("Orders.drafts", { ID: 1 }).with({ title: "mine" }));
    assert.deepEqual(await titles("my.Orders"), [[1, "first"]]);
    assert.deepEqual(await as("ann", () => srv.save("Orders", { ID: 1, IsActiveEntity: false })), { ID: 1 });
    assert.deepEqual([await titles("my.Orders"), await titles("Shop.Orders.drafts")], [[[1, "mine"]], []]);
    await assert.rejects(as("ann", () => srv.edit("Orders", { ID: 7 })), { status: 404 });
  }));

Deno.test("calls of drafts lock what they change before they read it, so that nobody changes it meanwhile (drafts 6)", () =>
  withShop(async ({ srv, db, as }) => {
    const steps: string[] = [];
    const [lock, perform] = [db!.lock.bind(db), db!.perform.bind(db)];
    const nameOf = (from: unknown): string => {
      const step = typeof from === "string" ? from : (from as { ref: (string | { id: string })[] }).ref[0]!;
      return typeof step === "string" ? step : step.id;
    };
    db!.lock = async (entity, ...given) => {
      const count = await lock(entity, ...given);
      await new Promise((go) => setTimeout(go, 0));
      steps.push(`lock ${count} of ${nameOf(entity)}`);
      return count;
    };
    db!.perform = (statement) => {
      const { SELECT } = statement.query as { readonly SELECT?: { readonly from: unknown } };
      if (SELECT) steps.push(`read ${nameOf(SELECT.from)}`);
      return perform(statement);
    };
    const stepsOf = async (run: () => PromiseLike<unknown>) => {
      steps.length = 0;
      await as("ann", run);
      return steps.filter((step, at) => step.startsWith("lock") || steps[at - 1]?.startsWith("lock"));
    };
    const orders = ["lock 1 of Shop.Orders", "read Shop.Orders"];
    assert.deepEqual(await stepsOf(() => srv.edit("Orders", { ID: 1 })), orders);
    assert.deepEqual(await stepsOf(() => srv.save("Orders", { ID: 1 })), [
      ...["lock 1 of DRAFT.DraftAdministrativeData", "read DRAFT.DraftAdministrativeData", ...orders],
    ]);
  }));

Deno.test("srv.discard() ends a draft with its parts, and gives no rows", () =>
  withShop(async ({ srv, as, db, titles }) => {
    await as("ann", () => srv.edit("Orders", { ID: 1 }));
    assert.deepEqual(await as("ann", () => srv.discard("Orders", { ID: 1, IsActiveEntity: false })), []);
    for (const entity of ["Shop.Orders.drafts", "Shop.Items.drafts", "DRAFT.DraftAdministrativeData"]) {
      assert.deepEqual(await db!.run(SELECT.from(entity)), [], entity);
    }
    assert.deepEqual(await titles("my.Orders"), [[1, "first"]]);
  }));

Deno.test("calls of drafts take the entity or its draft entity, as definition or by name, with the service or without", () =>
  withShop(async ({ srv, as }) => {
    const { Orders } = srv.entities as unknown as Record<string, { name: string; drafts: { name: string } }>;
    for (
      const entity of [
        Orders!,
        Orders!.drafts,
        "Orders",
        "Orders.drafts",
        "Shop.Orders",
        "Shop.Orders.drafts",
      ]
    ) {
      await as("ann", async () => {
        assert.equal((await srv.edit(entity as never, { ID: 1 }) as Row).title, "first");
        await srv.discard(entity, { ID: 1 });
        await srv.new(entity as never, { ID: 2 });
        assert.deepEqual(await srv.save(entity, { ID: 2 }), { ID: 2 });
        await srv.delete("Orders", 2);
      });
    }
  }));

Deno.test("calls of drafts refuse what has none: entities without drafts, and parts", () =>
  withShop(async ({ srv, as }) => {
    for (const entity of ["Plain", "Nothing", "my.Orders"]) {
      for (const call of ["new", "edit", "save", "discard"] as const) {
        await assert.rejects(as("ann", async () => await srv[call](entity, { ID: 1 })), {
          name: "TypeError",
          message: `"${
            srv.qualify(entity)
          }" has no drafts: "@odata.draft.enabled" of a service entity gives it some`,
        });
      }
    }
  }));

for (const kind of ["sqlite", "postgres"] as const) {
  Deno.test({
    name:
      `a draft that is not there is 404, that of somebody else 403, unless a service acts for itself (${kind})`,
    ignore: kind === "postgres" && !server.isThere,
    fn: () =>
      withShop(async ({ srv, as, titles }) => {
        for (const call of ["save", "discard"] as const) {
          const missing = as("ann", async () => await srv[call]("Orders", { ID: 1 }));
          await assert.rejects(missing, codeIs(404, "DRAFT_NOT_EXISTING"));
          await as("ben", () => srv.edit("Orders", { ID: 1 }));
          const locked = as("ann", async () => await srv[call]("Orders", { ID: 1 }));
          await assert.rejects(locked, codeIs(403, "DRAFT_LOCKED_BY_ANOTHER_USER"));
          await as(fw.User.privileged, async () => await srv[call]("Orders", { ID: 1 }));
          assert.deepEqual(await titles("Shop.Orders.drafts"), []);
        }
      }, kind),
  });
}

Deno.test("srv.edit() and srv.save() lock the active instance before they look at it", () =>
  withShop(async ({ srv, db, as }) => {
    let steps: string[] = [];
    const note = (what: string, of: unknown) => {
      const [name] = /(Shop|DRAFT)\.[\w.]+/.exec(JSON.stringify(of))!;
      steps.push(`${what} ${name}`);
    };
    type Call = (first: object, ...rest: unknown[]) => unknown;
    const { lock, perform } = db as unknown as Record<"lock" | "perform", Call>;
    Object.assign(db!, {
      lock(first: object, ...rest: unknown[]) {
        note("lock", first);
        return lock.call(db, first, ...rest);
      },
      perform(first: { query: object }, ...rest: unknown[]) {
        note(Object.keys(first.query)[0]!, first.query);
        return perform.call(db, first, ...rest);
      },
    });
    const ofActive = async (run: () => PromiseLike<unknown>) => {
      steps = [];
      await as("ann", run);
      return steps.filter((step) => !/drafts$/.test(step));
    };
    const administration = "DRAFT.DraftAdministrativeData";
    assert.deepEqual(await ofActive(() => srv.edit("Orders", { ID: 1 })), [
      "lock Shop.Orders",
      "SELECT Shop.Orders",
      `SELECT ${administration}`,
      `INSERT ${administration}`,
    ]);
    assert.deepEqual(await ofActive(() => srv.save("Orders", { ID: 1 })), [
      `lock ${administration}`,
      `SELECT ${administration}`,
      "lock Shop.Orders",
      "SELECT Shop.Orders",
      "UPDATE Shop.Orders",
      `DELETE ${administration}`,
    ]);
  }));
