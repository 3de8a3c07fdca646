import assert from "node:assert/strict";
import fw, { ConfigurationError, SELECT, ServiceError, UPDATE } from "../../mod.ts";
import { VERSION } from "../../src/fw/version.ts";
import { denoKinds } from "../../src/deno/deno_kinds.ts";
import { createShop, SHOP, withShop } from "./shop.ts";

const stockOf = async (ID: number) =>
  (await SELECT.one.from("shop.Books", ID).columns("stock") as { stock: number }).stock;

Deno.test("fw.version is the version of the package", async () => {
  const { version } = JSON.parse(await Deno.readTextFile(new URL("../../deno.json", import.meta.url)));
  assert.equal(fw.version, version);
  assert.equal(VERSION, version);
  assert.ok(fw.home.startsWith("/"));
});

Deno.test("fw.error() builds with new, and throws as call and as tag", () => {
  const made = new fw.error(404, "NO_BOOK", "ID", [1]);
  assert.ok(made instanceof ServiceError);
  assert.deepEqual([made.status, made.message, made.target, made.args], [404, "NO_BOOK", "ID", [1]]);
  const members = new fw.error("SOLD_OUT", { status: 409, "@extra": 1 });
  assert.deepEqual([members.status, members.message, members["@extra" as never]], [409, "SOLD_OUT", 1]);
  assert.throws(() => fw.error({ status: 400, code: "X" }), { status: 400, code: "X" });
  assert.throws(() => fw.error(403, "No"), { status: 403, message: "No" });
  assert.throws(() => fw.error`Book ${1} is ${"gone"}`, { message: "Book 1 is gone" });
});

Deno.test("fw.run() takes a query, several queries, SQL and a function", () =>
  withShop({ kinds: denoKinds }, async () => {
    assert.equal((await fw.run(SELECT.from("shop.Books")) as unknown[]).length, 3);
    const [books, author] = await fw.run([
      SELECT.from("shop.Books"),
      SELECT.one.from("shop.Authors", 1),
    ]) as [unknown[], { name: string }];
    assert.deepEqual([books.length, author.name], [3, "Emily"]);
    const rows = await fw.run("SELECT title FROM shop_Books WHERE ID = ?", [2]) as Record<string, unknown>[];
    assert.deepEqual(await fw.run("SELECT ID FROM shop_Books WHERE ID = ?", [[2], [99]]), [[{ ID: 2 }], []]); // a result for each row of values
    assert.deepEqual({ ...rows[0] }, { title: "Emma" });
    assert.equal(await fw.run((tx) => tx.run(SELECT.from("shop.Books")).then((all) => all && 7)), 7);
  }));

Deno.test("fw.tx() commits what a function did, and rolls back when it throws", () =>
  withShop({}, async () => {
    await fw.tx(() => UPDATE("shop.Books", 1).set({ stock: 1 }));
    assert.equal(await stockOf(1), 1);
    await assert.rejects(
      fw.tx(async () => {
        await UPDATE("shop.Books", 1).set({ stock: 2 });
        throw new Error("No");
      }),
      { message: "No" },
    );
    assert.equal(await stockOf(1), 1);
  }));

Deno.test("fw.tx() runs with tenant and user of a given context", () =>
  withShop({}, async () => {
    const seen = await fw.tx({ tenant: "t1", user: "bob" }, (tx) => [tx.context.tenant, fw.context?.user.id]);
    assert.deepEqual(seen, ["t1", "bob"]);
  }));

Deno.test("fw.tx() without function is ended by commit or rollback", () =>
  withShop({}, async () => {
    const first = fw.tx();
    await first.run(UPDATE("shop.Books", 1).set({ stock: 3 }));
    await first.rollback();
    assert.equal(await stockOf(1), 12);
    const second = fw.tx({ user: "alice" });
    assert.equal(second.context.user.id, "alice");
    await second.run(UPDATE("shop.Books", 1).set({ stock: 3 }));
    assert.equal(await second.commit("done"), "done");
    assert.equal(await stockOf(1), 3);
  }));

Deno.test("fw.tx(req) joins the transaction of a request", async () => {
  const runtime = createShop({
    handlers: {
      "shop.CatalogService": (srv) => {
        srv.on("order", async (req) => {
          await fw.tx(req).run(UPDATE("shop.Books", 1).set({ stock: 4 }));
          return req.reject(409, "No");
        });
      },
    },
  });
  const response = await runtime.fetch(
    new Request("http://localhost/odata/v4/catalog/order", {
      method: "POST",
      body: "{}",
      headers: { "content-type": "application/json" },
    }),
  );
  assert.equal(response.status, 409);
  assert.equal(await stockOf(1), 12);
  await runtime.close();
});

Deno.test("fw.spawn() runs in a root transaction of its own, later and repeatedly, until the runtime closes", () =>
  withShop({}, async (runtime) => {
    const once = await new Promise((resolve, reject) =>
      fw.spawn({ user: "jobber" }, () => fw.context?.user.id).on("succeeded", resolve).on("failed", reject)
    );
    assert.equal(once, "jobber");
    let runs = 0;
    await new Promise<void>((resolve) => {
      fw.spawn({ every: 5, after: 1 }, () => {
        if (++runs === 3) resolve();
      });
    });
    assert.equal(runtime.jobs.size, 1);
    await runtime.close();
    const after = runs;
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(runs, after);
  }));

Deno.test("fw.spawn() takes a function alone and refuses anything else", () =>
  withShop({}, async () => {
    assert.equal(await new Promise((resolve) => fw.spawn(() => 5).on("succeeded", resolve)), 5);
    assert.throws(() => fw.spawn({}), TypeError);
  }));

Deno.test("fw.log() takes a level or options", () =>
  withShop({}, () => {
    assert.equal(fw.log("mine", "warn").level, "warn");
    const labelled = fw.log("mine", { label: "shop", level: "debug" });
    assert.deepEqual([labelled.level, labelled.label, labelled._debug], ["debug", "shop", true]);
    assert.equal(fw.log("mine"), labelled);
  }));

Deno.test("fw.queued() needs a database; fw.unqueued() gives the service back", async () => {
  await withShop({}, () => {
    const service = fw.services["shop.CatalogService"];
    const queued = fw.queued(service);
    assert.notEqual(queued, service);
    assert.equal(fw.unqueued(queued), service);
    assert.equal(fw.unqueued(service), service);
  });
  await withShop({ env: { requires: { db: null } }, data: undefined }, () => {
    assert.throws(() => fw.queued(fw.services["shop.CatalogService"]), ConfigurationError);
  });
});

Deno.test("fw.parse.expr() gives one operand or an xpr", () => {
  assert.deepEqual(fw.parse.expr("author.name"), { ref: ["author", "name"] });
  assert.deepEqual(fw.parse.expr("stock > 1"), { xpr: [{ ref: ["stock"] }, ">", { val: 1 }] });
});

Deno.test("fw.compile() writes CSN, CSDL and SQL of a text and of the model", () =>
  withShop({ kinds: denoKinds }, async () => {
    await fw.compile.load();
    const csn = fw.compile(SHOP);
    assert.ok(csn.definitions?.["shop.Books"]);
    assert.ok(csn.to.sql()[0].startsWith("CREATE TABLE"));
    assert.deepEqual(Object.keys(fw.parse.cdl("entity A {}").definitions ?? {}), ["A"]);
    const options = { service: "shop.CatalogService" };
    assert.match(fw.compile.to.edmx(fw.model, options), /<EntityType Name="Books"/);
    assert.equal(fw.compile.to.edm(SHOP, options).$Version, "4.0");
    const inferred = JSON.parse(fw.compile.to.json(fw.model));
    assert.ok(inferred.definitions["shop.CatalogService.Books"].elements.title);
    assert.throws(() => fw.compile.to.edmx(fw.model), /--service.*shop.CatalogService, shop.AdminService/);
    assert.throws(
      () => fw.compile.to.edmx(fw.model, { service: "shop.CatalogServic" }),
      /mean "shop.CatalogService"/,
    );
    await assert.rejects(fw.load("missing.cds"), ConfigurationError);
  }));

Deno.test("fw.compile() and fw.load() of CDL say where there is no compiler", () =>
  withShop({}, async () => {
    assert.throws(() => fw.compile("entity A {}"), /no compiler/);
    await assert.rejects(fw.compile.load(), /no compiler/);
    await assert.rejects(fw.load("a.cds"), /no compiler/);
  }));

Deno.test("fw.compile() of text names what loads a compiler that is not loaded yet", () => {
  const compiler = () => Promise.resolve(() => ({}));
  return withShop({ kinds: { compiler } }, () => {
    assert.throws(() => fw.compile("entity A {}"), {
      name: "ConfigurationError",
      message: /is not loaded.*await fw\.compile\.load\(\)/,
    });
  });
});

Deno.test("fw.i18n gives messages and labels in the language asked for", () =>
  withShop({
    texts: new Map([["", new Map([["Title", "Title"]])], ["de", new Map([["Title", "Titel"]])]]),
  }, () => {
    const { title } = fw.model.entity("shop.Books")!.elements;
    assert.equal(fw.i18n.labels.at(title), "Title");
    assert.equal(fw.i18n.labels.at(title, "de"), "Titel");
    assert.equal(fw.i18n.labels.at("Title", "de_AT"), "Titel");
    assert.equal(fw.i18n.labels.at("Unknown"), undefined);
    assert.ok(fw.i18n.messages.at("ASSERT_MANDATORY", "de")?.length);
  }));

Deno.test("instanceof fw.entity, Association and Composition tell definitions apart", () =>
  withShop({}, () => {
    const { Books } = fw.entities("shop");
    assert.ok(Books instanceof fw.entity);
    assert.ok(Books.elements.author instanceof fw.Association);
    assert.ok(!(Books.elements.title instanceof fw.Association));
    assert.ok(Books.elements.texts instanceof fw.Composition);
    assert.ok(!(fw.model.service("shop.CatalogService") instanceof fw.entity));
  }));

Deno.test("fw.builtin.types knows the day and the time of the request", () =>
  withShop({}, async () => {
    assert.equal(fw.builtin.types.String.name, "cds.String");
    const timestamp = new Date("2026-02-03T04:05:06.789Z");
    const [day, now, stamp] = await fw.tx({ timestamp }, () => [
      fw.builtin.types.Date.today!(),
      fw.builtin.types.DateTime.now!(),
      fw.builtin.types.Timestamp.now!(),
    ]);
    assert.deepEqual([day, now, stamp], ["2026-02-03", "2026-02-03T04:05:06Z", "2026-02-03T04:05:06.789Z"]);
  }));

Deno.test("fw.User.default is the user of requests without credentials", async () => {
  const runtime = createShop({
    handlers: { "shop.CatalogService": (srv) => srv.on("hello", (req) => req.user.id) },
  });
  const hello = async () => {
    const response = await runtime.fetch(
      new Request("http://localhost/odata/v4/catalog/hello(name='x')"),
    );
    return (await response.json()).value;
  };
  assert.equal(await hello(), "anonymous");
  fw.User.default = new fw.User({ id: "tester" });
  try {
    assert.equal(await hello(), "tester");
  } finally {
    fw.User.default = fw.User.anonymous;
  }
  await runtime.close();
});

Deno.test("srv.send() takes an event or method with a path [6.3.3]", () =>
  withShop({ kinds: denoKinds }, async () => {
    const catalog = await fw.connect.to("shop.CatalogService");
    const titles = (rows: unknown) => (rows as { title: string }[]).map(({ title }) => title);
    assert.deepEqual(titles(await catalog.send("READ", "Books")), [
      "Wuthering Heights",
      "Emma",
      "Persuasion",
    ]);
    assert.deepEqual(titles(await catalog.send("GET", "/Books")), [
      "Wuthering Heights",
      "Emma",
      "Persuasion",
    ]);
    assert.deepEqual(titles([await catalog.send("READ", "Books/2")]), ["Emma"]);
    await catalog.send("CREATE", "Books", { ID: 4, title: "Villette" });
    await catalog.send("PATCH", "Books(4)", { stock: 7 });
    assert.equal((await catalog.send("READ", "Books(4)") as { stock: number }).stock, 7);
    await catalog.send("DELETE", "Books/4");
    assert.equal(titles(await catalog.send("READ", "Books")).length, 3);
    await assert.rejects(catalog.send("READ", "Boks"), { status: 404 });
  }));

Deno.test("srv.send() takes an event with a path in one object, and says what lacks one (api 4)", () =>
  withShop({ kinds: denoKinds }, async () => {
    const catalog = await fw.connect.to("shop.CatalogService");
    assert.equal((await catalog.send({ event: "READ", path: "Books" }) as unknown[]).length, 3);
    assert.equal(
      (await catalog.send({ method: "READ", path: "/Books/2" }) as { title: string }).title,
      "Emma",
    );
    await catalog.send({ event: "UPDATE", path: "Books(2)", data: { stock: 9 } });
    assert.equal(await stockOf(2), 9);
    for (const event of ["READ", "CREATE", "UPDATE", "DELETE"]) {
      await assert.rejects(catalog.send({ event, data: {} }), {
        status: 501,
        message: `Service "shop.CatalogService" has no handler for "${event}"`,
      });
    }
  }));
