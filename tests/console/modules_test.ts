/** Modules of the console that need no document: URLs, metadata, requests, completions. */

import assert from "node:assert/strict";
import { createRuntime } from "../../mod.ts";
import { ApiError, exchange, requests, send, toBatch, toCurl } from "../../src/console/page/api.js";
import { completions } from "../../src/console/page/completions.js";
import * as csdl from "../../src/console/page/csdl.js";
import { events, logIn, ROOT, state } from "../../src/console/page/state.js";
import * as urls from "../../src/console/page/url.js";
import { compileText } from "../../src/deno/compiler.ts";

/** A document of CSDL JSON with all that the console looks at. */
const DOCUMENT = {
  $Version: "4.01",
  $EntityContainer: "Shop.EntityContainer",
  Shop: {
    $Alias: "S",
    Thing: { $Kind: "EntityType", $Abstract: true, $Key: ["ID"], ID: { $Type: "Edm.Int32" } },
    Books: {
      $Kind: "EntityType",
      $BaseType: "Shop.Thing",
      title: { $MaxLength: 20, $Nullable: true },
      price: { $Type: "Edm.Decimal", $Scale: 2, $DefaultValue: 5 },
      author_ID: { $Type: "Edm.Int32" },
      cover: { $Type: "Edm.Stream" },
      genre: { $Type: "Shop.Genre" },
      size: { $Type: "Edm.String" },
      tags: { $Collection: true },
      author: {
        $Kind: "NavigationProperty",
        $Type: "Shop.Authors",
        $ReferentialConstraint: { author_ID: "ID", "author_ID@note": 1 },
      },
      pages: {
        $Kind: "NavigationProperty",
        $Type: "Shop.Pages",
        $Collection: true,
        $OnDelete: "Cascade",
      },
      notes: { $Kind: "NavigationProperty", $Type: "Shop.Pages", $Collection: true, $ContainsTarget: true },
      "title@Core.Description": "The title",
    },
    Authors: { $Kind: "EntityType", $Key: ["ID"], ID: {}, name: {} },
    Pages: { $Kind: "EntityType", $Key: ["book", { alias: "a/b" }, "no"], book: {}, no: {} },
    Genre: { $Kind: "EnumType", fiction: 1, "fiction@Core.Description": "x", facts: 2 },
    Name: { $Kind: "TypeDefinition", $UnderlyingType: "Edm.String" },
    sell: [{
      $Kind: "Action",
      $IsBound: true,
      $Parameter: [{ $Name: "in", $Type: "Shop.Books" }, {
        $Name: "count",
        $Type: "Edm.Int32",
        $Nullable: true,
      }],
      $ReturnType: { $Type: "Edm.Boolean" },
    }],
    all: [{
      $Kind: "Function",
      $IsBound: true,
      $Parameter: [{ $Name: "in", $Type: "Shop.Books", $Collection: true }],
    }],
    draftPrepare: [{ $Kind: "Action", $IsBound: true, $Parameter: [{ $Name: "in", $Type: "Shop.Books" }] }],
    cheapest: [{ $Kind: "Function" }],
    EntityContainer: {
      $Kind: "EntityContainer",
      Books: {
        $Type: "Shop.Books",
        $Collection: true,
        $NavigationPropertyBinding: { author: "Authors", pages: "Pages" },
      },
      Authors: { $Type: "Shop.Authors", $Collection: true },
      Pages: { $Type: "Shop.Pages", $Collection: true },
      Top: { $Type: "Shop.Books" },
      cheapest: { $Function: "Shop.cheapest" },
      close: { $Action: "Shop.close" },
    },
    $Annotations: {
      "Shop.Books": { "@Common.Label": "Book" },
      "Shop.Books/title": {
        "@Common.Label": "Title",
        "@Core.Immutable": true,
        "@Common.FieldControl": "Mandatory",
      },
      "Shop.Books/price": { "@Core.Computed": true, "@Validation.Minimum": 1, "@Validation.Maximum": 9 },
      "Shop.Books/author_ID": {
        "@Common.FieldControl": "ReadOnly",
        "@Common.ValueList": { CollectionPath: "Authors" },
      },
      "Shop.Books/author": { "@Common.Label": "Writer" },
      "Shop.Books/size": {
        "@Validation.AllowedValues": [{ Value: 1, "@Core.SymbolicName": "small" }, { Value: 2 }],
      },
      "Shop.sell": { "@Common.Label": "Sell" },
      "Shop.EntityContainer/Books": {
        "@Capabilities.InsertRestrictions": { Insertable: false },
        "@Capabilities.SearchRestrictions": { Searchable: true },
        "@Common.DraftRoot": { EditAction: "Shop.edit" },
      },
    },
  },
};

const SERVICE = csdl.describe(DOCUMENT, { root: "./odata", name: "Shop" });
const BOOKS = SERVICE.types.get("Shop.Books");
/** Members of an object, in order. */
const pick = (...names: readonly string[]) => (one: Readonly<Record<string, unknown>>) =>
  names.map((name) => one[name]);
const property = (name: string) =>
  BOOKS.properties.find((one: { readonly name: string }) => one.name === name);

Deno.test("the console reads sets, types and operations from CSDL JSON 4.01", () => {
  assert.deepEqual([SERVICE.root, SERVICE.name], ["./odata", "Shop"]);
  assert.deepEqual([...SERVICE.sets.keys()], ["Books", "Authors", "Pages", "Top"]);
  assert.deepEqual(SERVICE.imports.map(pick("name", "operation")), [
    ["cheapest", "Shop.cheapest"],
    ["close", "Shop.close"],
  ]);
  assert.deepEqual([SERVICE.sets.get("Top").isCollection, SERVICE.sets.get("Top").bindings], [false, {}]);
  assert.deepEqual(
    SERVICE.operations.map(pick("local", "isAction", "isBound", "label", "returns")),
    [
      ["sell", true, true, "Sell", { $Type: "Edm.Boolean" }],
      ["all", false, true, undefined, undefined],
      ["draftPrepare", true, true, undefined, undefined],
      ["cheapest", false, false, undefined, undefined],
    ],
  );
  const [, count] = SERVICE.operations[0].parameters;
  assert.deepEqual([count.name, count.type, count.isNullable, count.isCollection], [
    "count",
    "Edm.Int32",
    true,
    false,
  ]);
  assert.deepEqual([BOOKS.kind, BOOKS.local, BOOKS.label], ["EntityType", "Books", "Book"]);
  assert.equal(SERVICE.types.get("Shop.Pages").label, "Pages");
  assert.deepEqual([BOOKS.keys, SERVICE.types.get("Shop.Pages").keys], [["ID"], ["book", "no"]]);
  assert.deepEqual(
    ["Shop.Genre", "Shop.Name"].map((name) => SERVICE.types.get(name).properties),
    [undefined, undefined],
  );
});

Deno.test("the console knows of each property what a form needs", () => {
  assert.deepEqual(
    BOOKS.properties.map(pick("name", "type", "isKey")),
    [
      ["ID", "Edm.Int32", true],
      ["title", "Edm.String", false],
      ["price", "Edm.Decimal", false],
      ["author_ID", "Edm.Int32", false],
      ["cover", "Edm.Stream", false],
      ["genre", "Shop.Genre", false],
      ["size", "Edm.String", false],
      ["tags", "Edm.String", false],
    ],
  );
  const { isNullable, maxLength, isImmutable, isMandatory, isComputed, label, isMedia, scale } = property(
    "title",
  );
  assert.deepEqual([isNullable, maxLength, isImmutable, isMandatory, isComputed, label, isMedia, scale], [
    ...[true, 20, true, true, false],
    ...["Title", false, 0],
  ]);
  const price = property("price");
  assert.deepEqual([price.scale, price.standard, price.isComputed, price.minimum, price.maximum], [
    2,
    5,
    true,
    1,
    9,
  ]);
  assert.deepEqual([price.isNullable, price.isMandatory, price.isImmutable, price.label], [
    ...[false, false, false, "price"],
  ]);
  assert.deepEqual([property("author_ID").isComputed, property("author_ID").valueList], [
    ...[true, { CollectionPath: "Authors" }],
  ]);
  assert.deepEqual([property("author_ID").navigation.name, property("price").navigation], [
    "author",
    undefined,
  ]);
  assert.deepEqual([property("cover").isMedia, property("tags").isCollection], [true, true]);
  assert.deepEqual(property("genre").choices, [{ value: "fiction", name: "fiction" }, {
    value: "facts",
    name: "facts",
  }]);
  assert.deepEqual(property("size").choices, [{ value: 1, name: "small" }, { value: 2, name: "2" }]);
  assert.equal(property("title").choices, undefined);
  assert.deepEqual(
    BOOKS.navigations.map(pick("name", "type", "isCollection", "isPart", "label")),
    [
      ["author", "Shop.Authors", false, false, "Writer"],
      ["pages", "Shop.Pages", true, true, "pages"],
      ["notes", "Shop.Pages", true, true, "notes"],
    ],
  );
});

Deno.test("the console follows paths, and knows what is allowed there", () => {
  const at = (path: string) => {
    const { parent, ...place } = csdl.resolve(SERVICE, path)!;
    const { set } = (parent ?? {}) as { readonly set?: string };
    return [...pick("type", "set", "isCollection")(place), place.entity.local, set];
  };
  assert.deepEqual(at("Books"), ["Shop.Books", "Books", true, "Books", undefined]);
  assert.deepEqual(at("Books(1)"), ["Shop.Books", "Books", false, "Books", undefined]);
  assert.deepEqual(at("Top"), ["Shop.Books", "Top", false, "Books", undefined]);
  assert.deepEqual(at("Books(1)/author"), ["Shop.Authors", "Authors", false, "Authors", "Books"]);
  assert.deepEqual(at("Books(1)/pages(book='a/b(''c)',no='1')"), [
    "Shop.Pages",
    "Pages",
    false,
    "Pages",
    "Books",
  ]);
  assert.deepEqual(at("Books(1)/notes"), ["Shop.Pages", undefined, true, "Pages", "Books"]);
  assert.equal(csdl.resolve(SERVICE, "Books(1)/Authors"), undefined);
  assert.equal(csdl.resolve(SERVICE, "Nothing"), undefined);
  assert.equal(csdl.resolve(SERVICE, ""), undefined);
  assert.deepEqual(csdl.segments("A(1)/b('x/)y')/c"), [
    { name: "A", key: "(1)" },
    { name: "b", key: "('x/)y')" },
    { name: "c", key: undefined },
  ]);
  const rights = ["Insertable", "Updatable", "Deletable", "Searchable"];
  assert.deepEqual(rights.map((what) => csdl.allows(SERVICE, "Books", what)), [false, true, true, true]);
  assert.deepEqual(rights.map((what) => csdl.allows(SERVICE, "Elsewhere", what)), [true, true, true, true]);
  const operations = (isCollection: boolean) =>
    csdl.operationsOf(SERVICE, "Shop.Books", isCollection).map(({ local }: { readonly local: string }) =>
      local
    );
  assert.deepEqual([operations(false), operations(true)], [["sell"], ["all"]]);
  assert.deepEqual(csdl.operationsOf(SERVICE, "Shop.Authors", false), []);
  assert.equal(csdl.draftAction(SERVICE, "Books", "EditAction"), "Shop.edit");
  assert.equal(csdl.draftAction(SERVICE, "Books", "ActivationAction"), undefined);
  assert.equal(csdl.draftAction(SERVICE, "Elsewhere", "EditAction"), undefined);
});

Deno.test("the console writes literals, keys, conditions and options as the ABNF of URLs wants them", () => {
  assert.deepEqual(
    [
      ["a'b c", "Edm.String"],
      [null, "Edm.String"],
      [undefined, "Edm.Int32"],
      [5, "Edm.Int32"],
      ["PT1S", "Edm.Duration"],
      ["2020-01-01T00:00:00+01:00", "Edm.DateTimeOffset"],
    ].map(([value, type]) => urls.literal(value, type)),
    ["'a''b%20c'", "null", "null", "5", "duration'PT1S'", "2020-01-01T00%3A00%3A00%2B01%3A00"],
  );
  assert.equal(urls.rowPath("Books", BOOKS, { ID: 7 }), "Books(7)");
  assert.equal(
    urls.keyPredicate(SERVICE.types.get("Shop.Pages"), { book: "b", no: "1" }),
    "(book='b',no='1')",
  );
  assert.equal(urls.keyPredicate({ keys: ["x"], properties: [] }, { x: "y" }), "('y')");
  assert.equal(urls.query({ $top: 0, $skip: undefined, $search: "" }), "?$top=0");
  assert.equal(urls.query({ $search: "", $skip: undefined }), "");
  assert.equal(urls.query({ $top: 1, $count: true }), "?$top=1&$count=true");
  const counts = ["Edm.String", "Edm.Boolean", "Edm.Guid", "Edm.Date"].map((type) =>
    urls.operatorsFor(type).join(" ")
  );
  assert.deepEqual(counts, ["contains eq ne startswith endswith", "eq ne", "eq ne", "eq ne gt ge lt le"]);
  const named = { name: "title", type: "Edm.String" };
  assert.equal(urls.condition({ property: named, operator: "eq", value: "" }), "title%20eq%20null");
  assert.equal(urls.condition({ property: named, operator: "ne", value: "a" }), "title%20ne%20'a'");
  assert.equal(urls.condition({ property: named, operator: "contains", value: "a" }), "contains(title,'a')");
});

const MODEL = compileText(
  `service Shop { entity Books { key ID : Integer; title : String; author : Association to Authors; }
    actions { action sell(); };
    entity Authors { key ID : Integer; name : String; books : Association to many Books on books.author = $self; }
    function cheapest() returns String; }
  service Desk @(requires: 'editor') { entity Notes { key ID : Integer; } }`,
);

/** Uses the modules as a page of a runtime: what they send reaches it, and nothing else. */
async function withPage(use: () => Promise<void>): Promise<void> {
  const runtime = createRuntime({
    model: MODEL,
    env: {
      log: { levels: { default: "silent" } },
      requires: { db: { kind: "memory" }, auth: { kind: "mocked", users: { ann: { roles: ["editor"] } } } },
    },
    data: new Map([["Shop.Books", [{ ID: 1, title: "Emma" }]]]),
  });
  const endpoints = (path: string) => [{ protocol: "odata", path }];
  const info = {
    isMocked: true,
    services: [
      { name: "Shop", endpoints: endpoints("/odata/v4/shop") },
      { name: "Desk", requires: "editor", endpoints: endpoints("/odata/v4/desk") },
      { name: "Plain", endpoints: [{ protocol: "rest", path: "/rest/plain" }] },
    ],
  };
  const { fetch } = globalThis;
  globalThis.fetch = (target, options) =>
    runtime.fetch(new Request(`http://localhost/${String(target).slice(String(ROOT).length)}`, options));
  Object.assign(state, { info });
  try {
    await use();
  } finally {
    globalThis.fetch = fetch;
    Object.assign(state, { info: undefined });
    logIn(null);
    requests.length = 0;
    await runtime.close();
  }
}

Deno.test("the console sends requests as the chosen user, keeps the last hundred, and throws what is refused", () =>
  withPage(async () => {
    let told = 0;
    const tell = () => void told++;
    events.addEventListener("requests", tell);
    const { status, body, headers, header } = await send("GET", "./odata/v4/shop/Books");
    assert.deepEqual([status, body.value[0].title, header("odata-version")], [200, "Emma", "4.0"]);
    assert.ok(headers.some(([name]) => name === "odata-version"));
    await send("GET", "./odata/v4/shop/Books", { unseen: true });
    assert.deepEqual([requests.length, told], [1, 1]);
    assert.equal((await send("GET", "./odata/v4/shop/Books/$count")).body, "1");
    const deleted = await send("DELETE", "./odata/v4/shop/Books(1)");
    assert.equal(deleted.status, 204);
    const refused = await send("GET", "./odata/v4/shop/Books(1)").catch((error: unknown) =>
      error
    ) as ApiError;
    assert.ok(refused instanceof ApiError);
    assert.deepEqual([refused.status, refused.code, refused.message, refused.parts.length], [
      404,
      "404",
      "Not Found",
      1,
    ]);
    assert.equal((await exchange("GET", "./odata/v4/desk/Notes")).status, 401);
    logIn({ name: "ann" });
    assert.equal((await exchange("GET", "./odata/v4/desk/Notes")).status, 200);
    events.removeEventListener("requests", tell);
    for (let i = 0; i < 100; i++) await exchange("GET", `./odata/v4/shop/Books?$top=${i}`);
    assert.equal(requests.length, 100);
    assert.match(String(requests[0].url), /\$top=99$/);
    assert.match(String(requests[99].url), /\$top=0$/);
  }));

Deno.test("errors of the console say what the answer says: its message, its text, or its status", () => {
  const error = (body: unknown) => new ApiError({ status: 418, statusText: "Teapot", body });
  assert.deepEqual([error(undefined), error(""), error("No"), error({})].map(({ message }) => message), [
    ...["Teapot", "Teapot", "No", "Teapot"],
  ]);
  assert.deepEqual(error(undefined).parts, []);
  const details = [{ code: "2", message: "b" }];
  const { message, code, parts } = error({ error: { code: "1", message: "a", details } });
  assert.deepEqual([message, code, parts], ["a", "1", [{ code: "1", message: "a", details }, ...details]]);
});

Deno.test("the console writes requests as commands and as batches", () =>
  withPage(() => {
    const url = new URL("./odata/v4/shop/Books", ROOT);
    const headers = { accept: "a", "accept-language": "en", authorization: "Basic x", "content-type": "c" };
    const get = { method: "GET", url, headers: { accept: "a", authorization: "Basic x" }, body: undefined };
    assert.equal(toCurl(get), `curl -g -H 'accept: a' '${url}'`);
    logIn({ name: "ann" });
    const post = { method: "POST", url, headers, body: `{"title":"Emma's"}` };
    assert.equal(
      toCurl(post),
      `curl -g -X POST -u 'ann:' -H 'accept: a' -H 'accept-language: en' -H 'content-type: c' ` +
        `-d '{"title":"Emma'\\''s"}' '${url}'`,
    );
    logIn({ name: "ann", password: "p" });
    assert.match(toCurl(get), /-u 'ann:p'/);
    assert.deepEqual(JSON.parse(toBatch(get)), { requests: [{ id: "1", method: "GET", url: "Books" }] });
    assert.deepEqual(JSON.parse(toBatch(post)).requests, [
      { id: "1", method: "POST", url: "Books", headers: { "content-type": "c" }, body: { title: "Emma's" } },
    ]);
    const elsewhere = { ...get, url: new URL("./odata/v4/shopping/Books", ROOT) };
    assert.equal(JSON.parse(toBatch(elsewhere)).requests[0].url, String(elsewhere.url));
    return Promise.resolve();
  }));

Deno.test("the console reads metadata once for each user, where the user may", () =>
  withPage(async () => {
    const [one, again] = [csdl.serviceOf("Shop"), csdl.serviceOf("Shop")];
    assert.equal(one, again);
    assert.deepEqual([...(await one).sets.keys()], ["Books", "Authors"]);
    await assert.rejects(csdl.serviceOf("Plain"), /no service Plain of OData/);
    await assert.rejects(csdl.serviceOf("Nothing"), /no service Nothing/);
    const before = requests.length;
    await assert.rejects(csdl.serviceOf("Desk"), { status: 401 });
    assert.equal(requests.length, before, "nothing is asked that is refused anyway");
    logIn({ name: "bob" });
    await assert.rejects(csdl.serviceOf("Desk"), { status: 403 });
    await assert.rejects(csdl.serviceOf("Desk"), { status: 403 });
    assert.equal(requests.length, before + 2, "what failed is asked again");
    logIn({ name: "ann" });
    assert.deepEqual([...(await csdl.serviceOf("Desk")).sets.keys()], ["Notes"]);
    const asAnn = csdl.serviceOf("Shop");
    logIn({ name: "bob" });
    const asBob = csdl.serviceOf("Shop");
    assert.equal(new Set([one, asAnn, asBob]).size, 3);
    await Promise.all([asAnn, asBob]);
  }));

Deno.test("the console offers what may stand next in a URL", () =>
  withPage(async () => {
    const labels = async (text: string) =>
      (await completions(text)).map(({ label }: { readonly label: string }) => label).join(" ");
    const shop = "/odata/v4/shop";
    assert.equal(await labels("/o"), `${shop}/ /odata/v4/desk/`);
    assert.equal(await labels(`${shop}/`), "Books Authors cheapest $metadata $batch");
    assert.equal(await labels(`${shop}/b`), "Books");
    assert.equal(await labels(`${shop}/Books`), "");
    assert.equal(await labels(`${shop}/Books/`), "$count $each");
    assert.equal(await labels(`${shop}/Books(1)/`), "author ID title author_ID Shop.sell");
    assert.equal(await labels(`${shop}/Books(1)/author/b`), "books");
    assert.equal(await labels(`${shop}/Nothing/`), "");
    assert.equal(await labels(`/odata/v4/desk/`), "", "what the user may not see");
    assert.deepEqual(await completions(`${shop}/Books?$s`), [
      { label: "$select=", text: `${shop}/Books?$select=` },
      { label: "$skip=", text: `${shop}/Books?$skip=` },
      { label: "$search=", text: `${shop}/Books?$search=` },
    ]);
    assert.equal(await labels(`${shop}/Books?$top=1&$sk`), "$skip=");
    assert.equal(await labels(`${shop}/Books?$count=`), "true false");
    assert.equal(await labels(`${shop}/Books?$select=`), "ID title author_ID");
    assert.equal(await labels(`${shop}/Books?$expand=`), "author");
    assert.equal(await labels(`${shop}/Books?$orderby=author/`), "author/ID author/name");
    assert.equal(await labels(`${shop}/Books?$orderby=title a`), "author_ID author/ID author/name asc");
    assert.equal(await labels(`${shop}/Authors?$orderby=b`), "");
    assert.equal(await labels(`${shop}/Books?$filter=t`), "title tolower(");
    assert.equal(await labels(`${shop}/Books?$search=t`), "");
    assert.equal(await labels(`${shop}/Nothing?$filter=t`), "");
    assert.deepEqual((await completions(`${shop}/Books?$filter=ID eq 1 and ti`))[0], {
      label: "title",
      text: `${shop}/Books?$filter=ID eq 1 and title`,
    });
    assert.equal((await completions(`${shop}/Books?$filter=`)).length, 21);
  }));
