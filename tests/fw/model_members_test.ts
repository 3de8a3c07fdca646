import assert from "node:assert/strict";
import { fw } from "../../src/fw.ts";
import "../../src/globals.ts";
import { loadProject } from "../../src/deno/load_project.ts";
import { Service } from "../../src/service/service.ts";
import type { Runtime } from "../../src/fw/runtime.ts";
import { User } from "../../src/context/user.ts";
import { SMALL, withProject } from "../deno/project.ts";

const { "srv/cat_service.ts": _typed, ...PROJECT } = SMALL;

/** Runs a test on a small project with two books. */
async function withShop(test: (runtime: Runtime) => Promise<void>): Promise<void> {
  await withProject({ ...PROJECT, "_i18n/words_de.properties": "word=Wort\n" }, async (folder) => {
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

Deno.test("fw.connect() connects to the primary database", async () => {
  await withShop(async (runtime) => {
    assert.equal(await fw.connect(), runtime.db);
    assert.equal(await fw.connect("CatService"), runtime.services.CatService);
  });
});

Deno.test("fw.get() gives the model as written, fw.load() the inferred one, fw.resolve() its files", async () => {
  await withShop(async ({ root }) => {
    assert.equal((await fw.get("*")).definitions?.["CatService.Books"].elements, undefined);
    const loaded = await fw.load("*");
    assert.deepEqual(Object.keys(loaded.definitions!["CatService.Books"].elements!), ["ID", "title"]);
    assert.deepEqual(fw.load("db", { sync: true }).definitions!["shop.Books"].kind, "entity");
    assert.deepEqual(fw.resolve("*"), [`${root}/db/schema.cds`, `${root}/srv/cat_service.cds`]);
    assert.deepEqual(fw.resolve(["db", "srv/cat_service"]), [
      `${root}/db/schema.cds`,
      `${root}/srv/cat_service.cds`,
    ]);
    assert.equal(fw.resolve("nothing"), undefined);
    assert.deepEqual(fw.resolve.cache, {});
  });
});

Deno.test("fw.linked() and fw.parse() take CDL as text and as template, fw.reflect() the model in effect", async () => {
  await withShop(async (runtime) => {
    const { Foo } = fw.linked`entity Foo { key ID : ${"Integer"}; }`.definitions;
    assert.ok(Foo instanceof fw.entity);
    assert.equal(fw.linked("aspect A { x : String; }").definitions.A.kind, "aspect");
    assert.equal(fw.parse`entity Foo { key ID : Integer; }`.definitions?.Foo.kind, "entity");
    assert.equal(fw.reflect(), runtime.model);
    await Promise.resolve();
  });
});

Deno.test("fw.extend() gives another model with definitions and extensions, and adds members to classes", async () => {
  await withShop(async () => {
    const base = await fw.load("*");
    const more = fw.extend(base).with({
      definitions: { "shop.Pages": { kind: "entity", elements: { ID: { type: "cds.Integer", key: true } } } },
      extensions: [{ extend: "shop.Books", elements: { pages: { type: "cds.Integer" } } }],
    });
    assert.deepEqual(Object.keys(more.definitions!["shop.Books"].elements!), ["ID", "title", "pages"]);
    assert.ok(more.definitions!["shop.Pages"]);
    assert.equal(base.definitions!["shop.Pages"], undefined);
    class Own extends fw.Service {}
    fw.extend(Own).with(
      class {
        get twice() {
          return 2;
        }
      },
      { thrice: 3 },
    );
    const own = new Own() as Own & { twice: number; thrice: number };
    assert.deepEqual([own.twice, own.thrice], [2, 3]);
  });
});

Deno.test("fw.deploy(model).to() fills a database whose runtime becomes the current one", async () => {
  await withShop(async () => {
    const csn = fw.parse`entity Own.Foo { key ID : Integer; bar : String default 'x'; }`;
    const db = await fw.deploy(csn).to("sqlite::memory:");
    try {
      assert.equal(fw.db, db);
      await db.run(fw.ql.INSERT.into("Own.Foo").entries({ ID: 1 }));
      assert.deepEqual(await fw.ql.SELECT.from("Own.Foo"), [{ ID: 1, bar: "x" }]);
    } finally {
      await fw.runtime.close();
    }
  });
  await withShop(async () => {
    await fw.ql.DELETE.from("shop.Books");
    await fw.deploy("*").to("db");
    assert.equal((await fw.ql.SELECT.from("shop.Books")).length, 2);
    await fw.deploy("*").to("sqlite::memory:");
    assert.equal((await fw.ql.SELECT.from("shop.Books")).length, 2, "with the rows beside the model");
    await fw.runtime.close();
  });
});

Deno.test("services are made by hand, with a name, a model and options, or without", async () => {
  await withShop(async () => {
    const plain = new Service();
    assert.equal(plain.name, "Service");
    plain.on("ask", (req) => `${(req.data as { what: string }).what}!`);
    assert.equal(await plain.send("ask", { what: "this" }), "this!");
    const model = fw.linked`service S { entity E { key ID : Integer; } }`;
    const own = new fw.ApplicationService("S", model, { kind: "odata" });
    assert.deepEqual([...own.entities].map(String), ["S.E"]);
    assert.equal(own.kind, "odata");
  });
});

Deno.test("definitions are made by hand, and plugins add members to what all of a kind inherit", async () => {
  await withShop(async () => {
    const made = new fw.entity({ name: "Foo", elements: {} });
    assert.ok(made instanceof fw.entity);
    assert.ok(!(made instanceof fw.event));
    assert.ok(new fw.builtin.classes.Association({ target: "Foo" }) instanceof fw.Association);
    Object.defineProperty(fw.builtin.classes.entity.prototype, "_own", {
      get: (): string => "added",
      configurable: true,
    });
    assert.equal((fw.entities("shop").Books as unknown as { _own: string })._own, "added");
    delete (fw.builtin.classes.entity.prototype as { _own?: string })._own;
    const { types } = fw.builtin;
    assert.equal(types["cds.String"], types.String);
    assert.ok(types.Decimal instanceof types.number.constructor);
    assert.ok(!(types.Decimal instanceof types.string.constructor));
    await Promise.resolve();
  });
});

Deno.test("fw.i18n.bundle4() reads the files of folders, fw.utils takes targets by to()", async () => {
  await withShop(async ({ root }) => {
    const bundle = fw.i18n.bundle4({ file: "words", folders: [`${root}/_i18n`] });
    assert.equal(bundle.at("word", "de"), "Wort");
    assert.equal(bundle.for("other", "de"), undefined);
    assert.deepEqual(bundle.texts4("de"), { word: "Wort" });
    assert.equal(fw.i18n.bundle4(fw.model), fw.i18n.labels);
    const { utils } = fw;
    fw.root = `${root}/srv`;
    assert.equal(fw.root, `${root}/srv`);
    fw.root = root;
    await utils.copy("db/schema.cds").to("copied", "schema.cds");
    assert.ok(utils.exists("copied/schema.cds"));
    await utils.write({ a: [1] }).to("own.json");
    await utils.append("\n").to("own.json");
    assert.deepEqual(await utils.read("own.json"), { a: [1] });
    assert.deepEqual(utils.yaml.parse(utils.yaml.stringify({ a: [1] })), { a: [1] });
    assert.doesNotMatch(JSON.stringify(utils.redacted({ password: "secret" })), /:"secret"/);
    fw.root = undefined;
  });
});

Deno.test("User.default takes a class of users", () => {
  try {
    User.default = User.Privileged;
    assert.ok(User.default.is("anything"));
  } finally {
    User.default = User.anonymous;
  }
});

Deno.test("fw.minify() leaves out types, aspects and entities that nothing uses (api 1)", () => {
  const csn = fw.compile(`
    type Used : String; type Unused : Inner; type Inner : String; aspect Lost { a : String; }
    @cds.persistence.skip: 'if-unused' entity Codes { key code : Used; }
    @cds.persistence.skip: 'if-unused' entity Others { key code : Unused; }
    entity Things { key ID : Integer; code : Association to Codes; @Some.term: 'Lost' n : Integer; }`);
  const names = (model: { definitions?: object }) => Object.keys(model.definitions ?? {});
  assert.deepEqual(names(fw.minify(csn)), ["Used", "Codes", "Things"]);
  assert.ok(names(csn).includes("Unused"));
});
