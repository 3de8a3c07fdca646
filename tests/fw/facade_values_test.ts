/** Members of `fw` that need no runtime (api 1): errors, parsers, classes. */

import assert from "node:assert/strict";
import fw, { ServiceError } from "../../mod.ts";
import { denoKinds } from "../../src/deno/deno_kinds.ts";
import { withShop } from "./shop.ts";

Deno.test("fw.error.expected says the name, what was wanted and what was found", () => {
  const title = "Emma";
  const cases: readonly [() => unknown, string][] = [
    [() => fw.error.expected`${{ title }} to be a number`, 'Expected "title" to be a number, but found Emma'],
    [() => fw.error.expected`${{ n: 1 }} to be ${2} or ${"x"}`, 'Expected "n" to be 2 or x, but found 1'],
    [() => fw.error.expected`${{ a: { b: 1 } }} to be text`, 'Expected "a" to be text, but found { b: 1 }'],
    [() => fw.error.expected`${undefined} to be there`, 'Expected "value" to be there, but found undefined'],
    [() => fw.error.expected`${null} to be there`, 'Expected "value" to be there, but found null'],
    [() => fw.error.expected`${5} to be text`, 'Expected "value" to be text, but found 5'],
    [() => fw.error.expected`${{}} to be full`, 'Expected "value" to be full, but found {  }'],
  ];
  for (const [run, message] of cases) {
    assert.throws(run, (error) => error instanceof ServiceError && error.message === message, message);
  }
});

Deno.test("fw.error throws what new fw.error builds", () => {
  const cause = new Error("as it is");
  const cases: readonly [readonly unknown[], object][] = [
    [[404, "GONE", "it", ["x"]], { status: 404, message: "GONE", target: "it", args: ["x"] }],
    [["Wrong"], { message: "Wrong" }],
    [[{ status: 400, code: "X", message: "Wrong" }], { status: 400, code: "X", message: "Wrong" }],
    [[{ raw: ["no list"] }], { raw: ["no list"] }],
    [[cause], { message: "as it is" }],
  ];
  for (const [given, members] of cases) {
    const built = new fw.error(...given);
    assert.ok(built instanceof Error);
    for (const [name, value] of Object.entries(members)) {
      assert.deepEqual((built as unknown as Record<string, unknown>)[name], value, name);
    }
    assert.throws(() => fw.error(...given), members);
  }
  assert.equal(new fw.error(cause), cause);
});

Deno.test("fw.parse takes texts and templates, whose values are literals", () => {
  const { parse } = fw;
  const title = { ref: ["title"] };
  const max = { func: "max", args: [{ ref: ["price"] }] };
  const cases: readonly [unknown, unknown][] = [
    [parse.expr("title"), title],
    [parse.expr("title = 'x'"), { xpr: [title, "=", { val: "x" }] }],
    [parse.expr`${5}`, { val: 5 }],
    [parse.expr("not title"), { xpr: ["not", title] }],
    [parse.xpr("title"), [title]],
    [parse.xpr`title = ${"it's"}`, [title, "=", { val: "it's" }]],
    [parse.column("max(price) as most"), { ...max, as: "most" }],
    [parse.column("title"), title],
    [parse.column`${3} as three`, { val: 3, as: "three" }],
    [parse.ref("author.name"), ["author", "name"]],
    [parse.ref`title`, ["title"]],
    [parse.path("author.name"), { ref: ["author", "name"] }],
    [parse.cql("SELECT from Books"), { SELECT: { from: { ref: ["Books"] } } }],
  ];
  for (const [found, expected] of cases) assert.deepEqual({ ...found as object }, { ...expected as object });
  for (const parser of [parse.expr, parse.xpr, parse.column, parse.cql]) {
    for (const [given, type] of [[5, "number"], [null, "null"], [undefined, "undefined"], [{}, "object"]]) {
      assert.throws(() => parser(given as never), {
        name: "TypeError",
        message: `A text is expected, but found ${type}`,
      });
    }
  }
});

Deno.test("fw.parse and fw.parse.cdl give CSN of texts and templates", () =>
  withShop({ kinds: denoKinds }, async () => {
    await fw.compile.load();
    const name = "Books";
    for (const parse of [fw.parse, fw.parse.cdl]) {
      for (const csn of [parse("entity Books {}"), parse`entity ${name} {}`]) {
        assert.deepEqual(Object.keys(csn.definitions ?? {}), ["Books"]);
      }
    }
  }));

Deno.test("fw.service tells services by instanceof, their paths, and gives implementations back", () =>
  withShop({}, () => {
    const { definitions } = fw.model;
    const catalog = definitions["shop.CatalogService"]!;
    assert.ok(catalog instanceof fw.service);
    for (const other of [definitions["shop.Books"], {}, null, undefined, "shop.CatalogService"]) {
      assert.equal((other as object) instanceof fw.service, false);
    }
    assert.equal(fw.service.path4(catalog as never), "/odata/v4/catalog");
    assert.equal(fw.service.path4(fw.services["shop.AdminService"]!), "/odata/v4/admin");
    assert.equal(fw.service.path4(fw.db), undefined);
    const implementation = () => {};
    assert.equal(fw.service.impl(implementation), implementation);
  }));

Deno.test("classes of definitions stand beside fw.builtin.classes, and older names mean the same", () => {
  const names = [
    ...["entity", "Association", "Composition", "type", "aspect", "struct", "array", "event", "action"],
    "function",
  ] as const;
  for (const name of names) assert.equal(fw[name], fw.builtin.classes[name], name);
  assert.equal(new Set(names.map((name) => fw[name])).size, names.length);
  assert.equal(fw.SQLService, fw.DatabaseService);
  assert.equal(fw.outboxed, fw.queued);
  assert.equal(fw.unboxed, fw.unqueued);
  assert.notEqual(fw.queued as unknown, fw.unqueued);
  for (const one of [fw.ApplicationService, fw.DatabaseService, fw.MessagingService, fw.RemoteService]) {
    assert.ok(one.prototype instanceof fw.Service, one.name);
  }
  assert.ok(fw.Request.prototype instanceof fw.Event && fw.Event.prototype instanceof fw.EventContext);
  assert.ok(new fw.User({ id: "x" }).is("any"));
  assert.deepEqual(fw.options, {});
});
