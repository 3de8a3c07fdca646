/** What tools take, and the requests that calls of them stand for. */

import assert from "node:assert/strict";
import { type Arguments, InvalidArguments, toolsOf } from "../../src/mcp/tools.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../src/model/link_model.ts";

const MODEL = linkModel(parseCdl(`
  service S {
    entity Books { key ID : Integer; title : String; }
      actions { action sell(amount : Integer not null); function price(at : Date) returns Decimal; };
    entity Pairs { key a : Integer; key b : String(5); }
    action close(reason : String default 'none' not null, key : String @mandatory);
    function find(text : String, n : Integer) returns Integer;
    function read() returns Integer;
  }
`));
const TOOLS = new Map(toolsOf(MODEL.service("S")!, MODEL).map((tool) => [tool.name, tool]));

const request = (name: string, args: Arguments) => TOOLS.get(name)!.toRequest(args);

Deno.test("there is a tool that reads, and one for each operation", () => {
  assert.deepEqual([...TOOLS].map(([name, { isReadOnly }]) => [name, isReadOnly]), [
    ...[["read", true], ["close", false], ["find", true], ["call_read", true]],
    ...[["Books_sell", false], ["Books_price", true]],
  ]);
});

Deno.test("what reads says which arguments it takes, of which types", () => {
  const { type, properties, required, additionalProperties } = TOOLS.get("read")!.inputSchema as {
    readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
    readonly [other: string]: unknown;
  };
  assert.deepEqual([type, required, additionalProperties], ["object", ["entity"], false]);
  const types = Object.entries(properties).map(([name, { description, ...rest }]) => {
    assert.equal(typeof description, "string", name);
    return [name, rest];
  });
  assert.deepEqual(Object.fromEntries(types), {
    entity: { type: "string", enum: ["Books", "Pairs"] },
    key: { type: "object" },
    filter: { type: "string" },
    select: { type: "array", items: { type: "string" } },
    expand: { type: "string" },
    orderby: { type: "string" },
    search: { type: "string" },
    apply: { type: "string" },
    top: { type: "integer", minimum: 0 },
    skip: { type: "integer", minimum: 0 },
    count: { type: "boolean" },
  });
});

Deno.test("a call that reads is a GET with the options that are given", () => {
  for (
    const [args, url] of [
      [{ entity: "Books" }, "Books"],
      [{ entity: "Books", key: 7 }, "Books(7)"],
      [{ entity: "Books", key: { ID: 7 }, select: ["ID", "title"] }, "Books(7)?$select=ID%2Ctitle"],
      [{ entity: "Pairs", key: { a: 1, b: "x'y" } }, "Pairs(a=1,b='x''y')"],
      [{ entity: "Books", top: 0, skip: 2, count: true }, "Books?$top=0&$skip=2&$count=true"],
      [{ entity: "Books", count: false, filter: "ID eq 1" }, "Books?$filter=ID%20eq%201&$count=false"],
    ] as const
  ) assert.deepEqual(request("read", args), { method: "GET", url });
});

Deno.test("calls of operations are those of OData", () => {
  assert.deepEqual(request("close", { key: "k" }), { method: "POST", url: "close", body: '{"key":"k"}' });
  assert.deepEqual(request("find", {}), { method: "GET", url: "find()" });
  assert.deepEqual(request("find", { n: 2, text: "it's" }), {
    method: "GET",
    url: "find(text=@text,n=@n)?@text='it''s'&@n=2",
  });
  assert.deepEqual(request("Books_sell", { key: { ID: 3 }, amount: 2 }), {
    ...{ method: "POST", url: "Books(3)/S.sell", body: '{"amount":2}' },
  });
  assert.equal(
    request("Books_price", { key: { ID: 3 }, at: "2026-01-01" }).url,
    "Books(3)/S.price(at=@at)?@at=2026-01-01",
  );
  const required = (name: string) => TOOLS.get(name)!.inputSchema.required;
  assert.deepEqual(["close", "find", "Books_sell", "Books_price"].map(required), [
    ...[["key"], [], ["key", "amount"], ["key"]],
  ]);
});

Deno.test("arguments that do not fit are refused with what was expected", () => {
  for (
    const [name, args, message] of [
      ["read", {}, /There is no entity "undefined", expected one of Books, Pairs/],
      ["read", { entity: "Book" }, /There is no entity "Book", did you mean "Books"\?/],
      ["read", { entity: "Books", topp: 1 }, /There is no argument "topp", did you mean "top"\?/],
      ["read", { entity: "Books", top: 1.5 }, /"top" must be of type integer/],
      ["read", { entity: "Books", select: "ID" }, /"select" must be of type array/],
      ["read", { entity: "Books", select: [1] }, /"select" must be of type array/],
      ["read", { entity: "Books", filter: 1 }, /"filter" must be of type string/],
      ["read", { entity: "Books", count: "true" }, /"count" must be of type boolean/],
      ["read", { entity: "Pairs", key: 1 }, /"key" must have values for a, b/],
      ["read", { entity: "Books", key: { id: 1 } }, /There is no argument "id", did you mean "ID"\?/],
      ["Books_sell", { amount: 1 }, /"key" must have values for ID/],
      ["find", { flag: 1 }, /There is no argument "flag", expected one of text, n/],
      ["call_read", { x: 1 }, /There is no argument "x", expected one of none/],
    ] as const
  ) {
    assert.throws(
      () => request(name, args),
      (error) => error instanceof InvalidArguments && message.test(error.message),
      name,
    );
  }
});
