/**
 * Members of the facade that existing code finds in public documentation (api 1).
 *
 * @module
 */

import assert from "node:assert/strict";
import { fw } from "../../mod.ts";
import { createLogging } from "../../src/log/create_logging.ts";
import { loadProject } from "../../src/deno/load_project.ts";
import { withProject } from "../deno/project.ts";
import { withShop } from "./shop.ts";

const FILES = {
  "package.json": JSON.stringify({
    name: "mine",
    cds: {
      requires: {
        db: false,
        reviews: { kind: "odata", service: "my.Reviews", credentials: { url: "http://x" } },
      },
    },
  }),
  "db/schema.cds":
    "namespace my; entity Books @(title: '{i18n>Book}') { key ID : Integer; title : String @title: '{i18n>Title}'; }",
  "srv/cat.cds":
    "using { my } from '../db/schema'; service Cat { entity Books as projection on my.Books; } service Other {}",
  "_i18n/i18n.properties": "Book=Book\nTitle=Title",
  "_i18n/i18n_de.properties": "Book=Buch",
  "_i18n/yours_de.properties": "some = {who} hat {0}",
};

/** Runs a test in a project that is loaded, and not started. */
function inProject(test: () => void | Promise<void>): Promise<void> {
  return withProject(FILES, async (folder) => {
    const { runtime } = await loadProject(folder);
    try {
      await test();
    } finally {
      await runtime.close();
    }
  });
}

Deno.test("fw.compile takes files, several texts and options", () =>
  inProject(async () => {
    for (const files of ["*", ["db", "srv"], ["srv"]] as const) {
      const csn = await fw.compile(files as "*");
      assert.deepEqual(Object.keys(csn.definitions!["Cat.Books"].elements!), ["ID", "title"]);
    }
    assert.ok((await fw.compile("file:db")).definitions!["my.Books"]);
    const texts = {
      "db/schema.cds": "entity Foo { key ID : Integer; }",
      "srv/cat.cds":
        "using { Foo } from '../db/schema'; entity Bar as projection on Foo; extend Foo with { more : String };",
    };
    assert.deepEqual(Object.keys(fw.compile(texts).definitions!.Bar.elements!), ["ID", "more"]);
    assert.equal(fw.compile(texts, { flavor: "parsed" }).definitions!.Bar.elements, undefined);
    assert.equal(fw.compile("type T : String; service S {}", { min: true }).definitions!.T, undefined);
    const messages: { message?: string }[] = [];
    assert.throws(() => fw.compile("entity Foo : Nope {}", { messages: messages as object[] }));
    assert.match(messages[0].message!, /Nope/);
  }));

Deno.test("fw.compile.to writes all services, one text, YAML and where services are served", () =>
  inProject(async () => {
    const csn = await fw.compile("*");
    const all = [...fw.compile.to.edmx(csn, { service: "all" })];
    assert.deepEqual(all.map(([, file]) => file), [{ file: "Cat", suffix: ".xml" }, {
      file: "Other",
      suffix: ".xml",
    }]);
    assert.match(all[0][0], /EntityContainer/);
    assert.equal([...fw.compile.to.edm(csn, { service: "all" })][0][0].$Version, "4.0");
    assert.match(fw.compile.to.sql(csn, { as: "str", dialect: "plain" }), /^CREATE TABLE .*;\n$/s);
    assert.match(fw.compile.to.json(csn, { indents: 2 }), /^\{\n {2}"/);
    assert.match(fw.compile.to.yaml(csn), /^definitions:\n/);
    assert.deepEqual(fw.compile.to.serviceinfo(csn)[0], {
      name: "Cat",
      urlPath: "odata/v4/cat/",
      destination: "srv-api",
      runtime: "Node.js",
      endpoints: [{ kind: "odata", path: "odata/v4/cat" }],
    });
  }));

Deno.test("listeners change the model before it is compiled", () =>
  inProject(async () => {
    const seen: string[] = [];
    for (const event of ["loaded", "compile.for.runtime", "compile.to.dbx", "compile.to.edmx"]) {
      fw.on(event, (csn: { definitions: Record<string, object> }) => {
        seen.push(event);
        csn.definitions["my.Books"] = { ...csn.definitions["my.Books"], "@note": event };
      });
    }
    const csn = await fw.load("*");
    assert.equal((csn.definitions!["my.Books"] as { "@note"?: string })["@note"], "loaded");
    fw.compile.to.edmx(csn, { service: "Cat" });
    fw.compile.to.sql(csn);
    const linked = fw.compile.for.nodejs(csn);
    assert.equal((linked.entity("my.Books") as { "@note"?: string })["@note"], "compile.for.runtime");
    assert.equal((csn.definitions!["my.Books"] as { "@note"?: string })["@note"], "loaded");
    assert.deepEqual(seen, ["loaded", "compile.to.edmx", "compile.to.dbx", "compile.for.runtime"]);
  }));

Deno.test("fw.i18n has bundles by name, labels of definitions and texts of several locales", () =>
  inProject(() => {
    const { labels } = fw.i18n;
    const { Books } = fw.entities("my");
    assert.deepEqual([labels.key4(Books), labels.at(Books, "de"), labels.at(Books.elements.title, "de")], [
      "Book",
      "Buch",
      "Title",
    ]);
    assert.deepEqual(labels.files.locales(), ["", "de"]);
    const { de, en } = labels.translations4("de", "en");
    assert.deepEqual([de.Book, en.Book, labels.translations4("all").de.Book], ["Buch", "Book", "Buch"]);
    assert.equal(labels.fallback.Title, "Title");
    const yours = fw.i18n.bundle4("yours");
    assert.equal(yours.at("some", "de", ["x"]), "{who} hat x");
    assert.equal(yours.for("some", "de", { who: "Ann", 0: "y" }), "Ann hat y");
    assert.equal(fw.i18n.bundle4("yours"), yours);
    assert.equal((fw.i18n as unknown as Record<string, unknown>).yours, yours);
    assert.ok(yours instanceof fw.i18n.Bundle);
    assert.equal(fw.i18n.messages.at(404, "en"), fw.i18n.messages.at("404", "en"));
  }));

Deno.test("fw.requires has services by the names of their definitions, fw.protocols and fw.home are there", () =>
  inProject(() => {
    assert.equal(fw.requires["my.Reviews"], fw.requires.reviews);
    assert.equal(fw.env.requires["my.Reviews"], undefined);
    assert.deepEqual(fw.protocols["odata-v4"], { path: "/odata/v4" });
    assert.ok(fw.home.startsWith("/") && !fw.home.endsWith("/"));
    const { context, auth, ctx_model, trace } = fw.middlewares;
    fw.middlewares.before = [context(), trace(), auth(), ctx_model()];
    assert.equal(fw.middlewares.before.length, 4);
    assert.ok(fw.model.services.Cat instanceof fw.service);
  }));

Deno.test("errors are built of templates with objects", () => {
  const foo = "bar";
  assert.throws(() => fw.error`Expected ${{ a: 1 }} and ${[1, "x"]}, found ${foo}`, {
    message: "Expected { a: 1 } and [ 1, 'x' ], found bar",
  });
  assert.throws(() => fw.error.expected`${{ foo }} to be a number`, {
    message: 'Expected "foo" to be a number, but found bar',
  });
  const req = new fw.Request({ event: "x" });
  req.error`${{ stock: 1 }} must be >= ${5}`;
  assert.equal(req.errors![0].message, "{ stock: 1 } must be >= 5");
});

Deno.test("loggers follow their level, and write by a format or logger that is set", () => {
  const lines: string[] = [];
  const logging = createLogging({ write: (_level, line) => lines.push(line), levels: { sql: "debug" } });
  const log = logging("foo", "WARN" as "warn");
  log.info("no");
  assert.equal(logging("foo", 3), log);
  log.info("yes");
  assert.deepEqual(lines, ["[foo] - yes"]);
  assert.equal(logging("db|sql").level, "debug");
  assert.equal(logging("db|sql"), logging("db"));
  assert.equal(logging().id, "cds");
  const written: unknown[][] = [];
  const one = (...values: readonly unknown[]) => void written.push([...values]);
  logging.shared.Logger = (label, level) => {
    const write = (...values: readonly unknown[]) => one(label, level, ...values);
    return { trace: write, debug: write, log: write, info: write, warn: write, error: write };
  };
  log.warn("x", 1);
  assert.deepEqual(written, [["foo", 3, "x", 1]]);
  logging.shared.Logger = undefined;
  const { info } = console;
  console.info = one;
  try {
    log.setFormat((label, level, ...values) => [label, level, ...values]).info("y");
    logging.shared.format = (label, level) => [`shared ${label}`, level];
    logging("other").info("z");
  } finally {
    console.info = info;
  }
  assert.deepEqual(written.slice(1), [["foo", 3, "y"], ["shared other", 3]]);
  assert.deepEqual([fw.log.levels.WARN, fw.log.levels.TRACE], [2, 5]);
});

Deno.test("classes of services add generic handlers by static members", () =>
  withShop({}, async () => {
    const seen: string[] = [];
    class Own extends fw.ApplicationService {
      static override handle_validations(this: unknown): void {
        (this as Own).on("own", () => void seen.push("own"));
        super.handle_validations();
      }
      static handle_more(this: unknown): void {
        (this as Own).before("*", (req) => void seen.push(req.event));
      }
    }
    const service = new Own("shop.CatalogService", fw.model);
    await service.init();
    await service.send("own");
    assert.deepEqual(seen, ["own", "own"]);
    assert.equal(await (await fw.db.begin()).tx(async (tx) => await tx.begin() === tx), true);
  }));
