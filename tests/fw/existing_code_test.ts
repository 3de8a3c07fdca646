import assert from "node:assert/strict";
import { fw } from "../../src/fw.ts";
import { SELECT } from "../../src/cqn/builders/select.ts";
import "../../src/globals.ts";
import type { Query } from "../../src/cqn/cqn.ts";
import { loadProject } from "../../src/deno/load_project.ts";
import type { Runtime } from "../../src/fw/runtime.ts";
import { SMALL, withProject } from "../deno/project.ts";

const { "srv/cat_service.ts": _typed, ...PROJECT } = SMALL;

/** Runs a test on a small project with two books, and more files. */
async function withShop(
  test: (runtime: Runtime) => Promise<void>,
  files: Readonly<Record<string, string>> = {},
): Promise<void> {
  await withProject({ ...PROJECT, ...files }, async (folder) => {
    const env = { log: { levels: { default: "silent" } } };
    const { runtime } = await loadProject(folder, { variables: {}, env });
    try {
      await runtime.start();
      await test(runtime);
    } finally {
      await runtime.close();
    }
  });
}

const plain = (query: unknown) => JSON.parse(JSON.stringify(query));

Deno.test("fw.ql is a tag for CQL whose queries run and go on; CQL and CDL are globals", async () => {
  await withShop(async () => {
    const { CQL, CDL } = globalThis as unknown as { CQL: typeof fw.ql; CDL: typeof fw.parse.cdl };
    const query = fw.ql`SELECT title from shop.Books where ID = ${2}`;
    assert.deepEqual(await query, [{ title: "Persuasion" }]);
    assert.deepEqual(await CQL("SELECT title from shop.Books order by ID limit 1"), [{ title: "Emma" }]);
    assert.deepEqual(plain(fw.ql({ SELECT: { from: { ref: ["Foo"] } } })), {
      SELECT: { from: { ref: ["Foo"] } },
    });
    assert.throws(() => fw.ql({} as Query), /Expected CQL text or a query/);
    assert.equal(CDL`entity Foo { key ID : ${"Integer"}; }`.definitions?.Foo.kind, "entity");
  });
});

Deno.test("SELECT(path) is the source until from() names one", () => {
  assert.deepEqual(plain(SELECT("Foo")), { SELECT: { from: { ref: ["Foo"] } } });
  assert.deepEqual(plain(SELECT`Foo`), { SELECT: { from: { ref: ["Foo"] } } });
  assert.deepEqual(plain(SELECT("Foo").from("Bar")), {
    SELECT: { from: { ref: ["Bar"] }, columns: [{ ref: ["Foo"] }] },
  });
  assert.deepEqual(plain(SELECT.one("Bar", ["Foo"])), {
    SELECT: { one: true, from: { ref: ["Bar"] }, columns: [{ ref: ["Foo"] }] },
  });
  assert.deepEqual(plain(SELECT({ name: "Foo" }).columns("*", { b: "c" })), {
    SELECT: { from: { ref: ["Foo"] }, columns: ["*", { ref: ["b"], as: "c" }] },
  });
});

Deno.test("queries are cloned, joined, iterated; columns may be values", async () => {
  await withShop(async () => {
    const books = SELECT.from("shop.Books").columns("title").orderBy("ID");
    const one = books.clone().where({ ID: 2 });
    assert.deepEqual(await books, [{ title: "Emma" }, { title: "Persuasion" }]);
    assert.deepEqual(await one, [{ title: "Persuasion" }]);
    const titles: unknown[] = [];
    for await (const { title } of books) titles.push(title);
    await books.foreach(async ({ title }) => {
      await new Promise((resolve) => setTimeout(resolve, 1));
      titles.push(title);
    });
    assert.deepEqual(titles, ["Emma", "Persuasion", "Emma", "Persuasion"], "each act has ended");
    const joined = SELECT.from("shop.Books as a").join("shop.Books as b").on("b.ID = a.ID + 1")
      .columns("a.title as first", "b.title as second");
    assert.deepEqual(await joined, [{ first: "Emma", second: "Persuasion" }]);
    assert.deepEqual(await SELECT.one(1).from("shop.Books").where({ ID: 1 }), { 1: 1 });
    assert.throws(() => SELECT.from("shop.Books").on("1 = 1"), /Expected a join before on/);
  });
});

Deno.test("fw.read, insert, update, delete, foreach and upsert run on the primary database", async () => {
  await withShop(async () => {
    await fw.insert({ ID: 3, title: "Lady Susan" }).into("shop.Books");
    await fw.update("shop.Books", 3).with({ title: "Susan" });
    assert.deepEqual(await fw.read("shop.Books", 3), { ID: 3, title: "Susan" });
    await fw.upsert({ ID: 3, title: "Sanditon" }).into("shop.Books");
    await fw.create("shop.Books", { ID: 4, title: "Watsons" });
    const titles: unknown[] = [];
    await fw.foreach("shop.Books", ({ title }) => titles.push(title));
    assert.deepEqual(titles, ["Emma", "Persuasion", "Sanditon", "Watsons"]);
    assert.equal(await fw.delete("shop.Books", 4), 1);
  });
});

Deno.test("fw.utils takes files and folders, relative ones from the root of the project", async () => {
  await withShop(async () => {
    const { utils } = fw;
    assert.match(utils.uuid(), /^[0-9a-f-]{36}$/);
    await utils.write("out/deep/data.json", { a: 1 });
    assert.deepEqual(await utils.read("out/deep/data.json"), { a: 1 });
    assert.equal(utils.exists("out/nothing"), false);
    assert.ok(utils.isdir("out/deep"));
    assert.equal(utils.isfile("out/deep"), undefined);
    await utils.copy("out", "copy");
    assert.deepEqual(utils.find("copy").map((file) => file.split("/").at(-1)), ["data.json"]);
    await utils.rimraf("out");
    assert.equal(utils.isdir("out"), undefined);
    assert.equal(utils.decodeURIComponent("%zz"), "%zz");
  });
});

Deno.test("fw.debug, off, reflect and the classes of definitions", async () => {
  await withShop(async (runtime) => {
    assert.equal(fw.debug("orders"), undefined);
    fw.log("orders", "debug");
    assert.equal(typeof fw.debug("orders"), "function");
    let heard = 0;
    const listen = () => void heard++;
    fw.on("mine", listen);
    await fw.emit("mine");
    fw.off("mine", listen);
    await fw.emit("mine");
    assert.equal(heard, 1);
    assert.equal(fw.reflect(), runtime.model);
    const csn = fw.parse.cdl(
      "type T : String; service S { event E { a : T }; action f(); function g() returns T; }",
    );
    const { definitions } = fw.reflect(csn);
    assert.ok(definitions.T instanceof fw.type);
    assert.ok(definitions["S.E"] instanceof fw.event);
    assert.ok(definitions["S.f"] instanceof fw.action);
    assert.ok(definitions["S.g"] instanceof fw.function);
    assert.ok(runtime.model.definitions["shop.Books"] instanceof fw.struct);
    assert.ok(!(definitions.T instanceof fw.entity));
    assert.deepEqual(fw.parse.ref("author.name"), ["author", "name"]);
    assert.deepEqual(fw.parse.xpr("a = 1"), [{ ref: ["a"] }, "=", { val: 1 }]);
  });
});

Deno.test("queries are built before there is a model for their names, and conditions take not", async () => {
  assert.deepEqual(plain(SELECT.from("Nowhere").where({ ID: { not: { in: [1, 2] } } })), {
    SELECT: {
      from: { ref: ["Nowhere"] },
      where: ["not", { xpr: [{ ref: ["ID"] }, "in", { list: [{ val: 1 }, { val: 2 }] }] }],
    },
  });
  await withShop(async () => {
    assert.deepEqual(await SELECT("title").from("shop.Books").where({ ID: { not: { in: [1] } } }), [
      { title: "Persuasion" },
    ]);
  });
});

Deno.test("services know their kind and where they are served, and read row by row", async () => {
  await withShop(async (runtime) => {
    const service = runtime.services.CatService;
    assert.equal(service.kind, "app-service");
    assert.equal(service.path, "/odata/v4/cat");
    assert.deepEqual(service.endpoints, [{ protocol: "odata", kind: "odata", path: "/odata/v4/cat" }]);
    const titles: unknown[] = [];
    await service.foreach("Books", ({ title }) => titles.push(title));
    await service.foreach(
      SELECT.from("CatService.Books").where({ ID: 2 }),
      ({ title }) => titles.push(title),
    );
    assert.deepEqual(titles, ["Emma", "Persuasion", "Persuasion"]);
  });
});

Deno.test("fw.compile.for gives models to add to; only views with parameters have some", async () => {
  await withShop(() => {
    const note = Symbol("note");
    const model = fw.compile.for.nodejs(fw.model);
    const { Books } = model.entities("CatService");
    Object.defineProperty(Books, note, { value: 1 });
    Object.defineProperty(Books!.elements.title, note, { value: 2 });
    assert.equal(model.definitions["CatService.Books"], Books);
    assert.equal(Books!.params, undefined);
    const view = fw.compile.for.nodejs(
      fw.parse.cdl("entity A { key ID : Integer; } entity V(p : Integer) as select from A;"),
    );
    assert.deepEqual([...view.definitions.V!.params!].map(({ name }) => name), ["p"]);
    return Promise.resolve();
  });
});

Deno.test("fw.localize puts texts in place of keys, as XML or JSON has them", async () => {
  await withShop(() => {
    assert.equal(
      fw.localize(fw.model, "de", '<a b="{i18n>CreatedAt}" c="{i18n>none}"/>'),
      '<a b="Angelegt am" c="{i18n>none}"/>',
    );
    assert.equal(fw.localize(fw.model, "en", '{"b":"{i18n>CreatedAt}"}'), '{"b":"Created at"}');
    const texts = ['\n <a b="{i18n>quoted}"/>', '{"b":"{i18n>quoted}"}', '"{b" <{i18n>quoted}'];
    assert.deepEqual(texts.map((text) => fw.localize(fw.model, "en", text)), [
      '\n <a b="&quot;a&quot; &lt; b &amp; c"/>',
      String.raw`{"b":"\"a\" < b & c"}`,
      String.raw`"{b" <\"a\" < b & c`,
    ]);
    return Promise.resolve();
  }, { "_i18n/i18n.properties": 'quoted = "a" < b & c\n' });
});

Deno.test("fw.compile.for gives linked models; associations know is2one, is2many and _target", async () => {
  await withShop(() => {
    const text =
      "entity A { key ID : Integer; one : Association to B; many_ : Association to many B on many_.ID = ID; }" +
      " entity B { key ID : Integer; }";
    const { definitions } = fw.compile.for.nodejs(fw.parse.cdl(text));
    const { one, many_, ID } = definitions.A.elements;
    assert.deepEqual([one.is2one, one.is2many, many_.is2one, many_.is2many], [true, false, false, true]);
    assert.equal(one._target?.name, "B");
    assert.equal(ID.is2one, false);
    assert.equal(fw.compile.for.odata(fw.parse.cdl(text)).definitions.A.kind, "entity");
    return Promise.resolve();
  });
});
