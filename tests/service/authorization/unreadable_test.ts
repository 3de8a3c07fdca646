/** Entities that cannot be read are not read by way of others either (behaviours 5, auth 7). */

import assert from "node:assert/strict";
import { createRuntime } from "../../../mod.ts";
import { compileText } from "../../../src/deno/compiler.ts";
import { send } from "../../http/fixture.ts";

const MODEL = compileText(`service Shop {
  entity Books { key ID : Integer; title : String; hint : Association to Hints;
    hints : Association to many Hints on hints.book = $self;
    drafts : Association to many Drafts on drafts.book = $self; }
  @insertonly entity Hints { key ID : Integer; text : String; book : Association to Books; }
  @Capabilities.ReadRestrictions.Readable: false
  entity Drafts { key ID : Integer; text : String; book : Association to Books; }
}`);
const ROWS = new Map<string, Record<string, unknown>[]>([
  ["Shop.Books", [{ ID: 1, title: "Emma", hint_ID: 1 }]],
  ["Shop.Hints", [{ ID: 1, text: "secret", book_ID: 1 }]],
  ["Shop.Drafts", [{ ID: 1, text: "secret", book_ID: 1 }]],
]);
const PATHS = [
  "Hints",
  "Books(1)/hints",
  "Books?$expand=hints",
  "Books?$expand=drafts",
  "Books?$expand=*",
  "Books(1)?$expand=hint",
  "Books?$expand=hints/$count",
  "Books?$expand=hints/$ref",
  "Books(1)/hint/text",
  "Books(1)/hint/$ref",
  "Books?$filter=hint/text eq 'secret'",
  "Books/$count?$filter=hints/any(h:startswith(h/text,'s'))",
  "Books?$filter=drafts/$count gt 0",
  "Books?$orderby=hint/text",
  "Books?$compute=hint/text as t&$select=t",
  "Books?$apply=groupby((hint/text))",
  "Books?$apply=aggregate(hints/text with max as t)",
  "Books?$apply=join(hints as h)",
  "Books?$compute=$root/Hints(1)/text as t&$select=t",
  "Hints(1)/book",
  "$crossjoin(Books,Hints)?$expand=Hints",
];

Deno.test("entities that cannot be read are not read by way of others either (behaviours 5, auth 7)", async () => {
  const runtime = createRuntime({
    model: MODEL,
    env: {
      requires: { auth: { kind: "mocked" }, db: { kind: "memory" } },
      log: { levels: { default: "silent" } },
    },
    data: ROWS,
  });
  const url = (path: string) => `/odata/v4/shop/${path}`;
  try {
    for (const path of PATHS) {
      const { status, body } = await send(runtime, url(path));
      const { code } = (body as { error?: { code?: string } }).error ?? {};
      const expected = path.includes("drafts") ? "ENTITY_IS_NOT_CRUD" : "ENTITY_IS_INSERT_ONLY";
      assert.deepEqual([status, code], [405, expected], path);
    }
    const post = (path: string, body: unknown) => send(runtime, url(path), { method: "POST", body });
    assert.equal((await post("Books(1)/hints", { ID: 2, text: "new" })).status, 204);
    assert.equal((await post("Books", { ID: 2, title: "Lost", hint_ID: 2 })).status, 201);
    assert.equal((await send(runtime, url("Books?$filter=hint_ID eq 2"))).status, 200);
  } finally {
    await runtime.close();
  }
});
