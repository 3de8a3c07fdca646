import assert from "node:assert/strict";
import { ENGINES } from "./engines.ts";
import type { Shop } from "./fixture_host.ts";
import { SECRETS, withLibrary, withSecrets } from "./library.ts";

interface Collection {
  readonly value: Record<string, unknown>[];
  readonly "@odata.count"?: number;
  readonly "@odata.nextLink"?: string;
}

async function read(library: Shop, url: string, headers: Record<string, string> = {}): Promise<Collection> {
  const { status, body } = await library.send("GET", encodeURI(url), { headers });
  assert.equal(status, 200, `${url}: ${JSON.stringify(body)}`);
  return body as Collection;
}

for (const [engine, database] of Object.entries(ENGINES)) {
  Deno.test(`$all is the union of all entity sets and singletons, with types and ids, on ${engine} (URL 4.14)`, () =>
    withLibrary(database, async (library) => {
      const all = await read(library, "$all?$count=true");
      assert.equal(all["@odata.count"], 16);
      assert.deepEqual(all.value.at(-1), {
        "@odata.type": "#ShopService.Settings",
        "@odata.id": "Settings",
        ID: 1,
        minimum: 10,
        theme: "dark",
      });
      const ids: unknown[] = [];
      let url: string | undefined = "$all";
      while (url !== undefined) {
        const page: Collection = await read(library, url, { prefer: "maxpagesize=5" });
        assert.ok(page.value.length <= 5);
        ids.push(...page.value.map((row) => row["@odata.id"]));
        url = page["@odata.nextLink"];
      }
      assert.deepEqual(ids, all.value.map((row) => row["@odata.id"]));
      assert.equal((await read(library, "$all?$top=3&$skip=2")).value.length, 3);
      assert.deepEqual((await read(library, "$all?$search=raven")).value.map((row) => row.title), [
        "The Raven",
      ]);
    }));

  Deno.test(`$all with a type is the set of that type, on ${engine} (URL 4.14)`, () =>
    withLibrary(database, async (library) => {
      const { value } = await read(library, "$all/ShopService.Loans?$filter=days gt 10&$select=ID");
      assert.deepEqual(value, [{ ID: 1 }, { ID: 3 }]);
      const typed = await read(library, "$all?$filter=isof(ShopService.Loans)");
      assert.deepEqual(typed.value.map(({ ID }) => ID), [1, 2, 3, 4]);
      assert.equal((await library.send("GET", "$all/ShopService.Nope")).status, 404);
      assert.equal((await library.send("GET", "$all?$orderby=ID")).status, 400);
    }));

  Deno.test(`$crossjoin pairs entities, filters and expands them, on ${engine} (URL 4.15)`, () =>
    withLibrary(database, async (library) => {
      const url = "$crossjoin(Loans,Books)?$filter=Loans/book_ID eq Books/ID and Loans/days gt 4";
      assert.deepEqual(await read(library, `${url}&$count=true`), {
        "@odata.context": "$metadata#Collection(Edm.ComplexType)",
        "@odata.count": 3,
        value: [[1, 1], [3, 3], [4, 2]].map(([loan, book]) => ({
          "Loans@odata.navigationLink": `Loans(${loan})`,
          "Books@odata.navigationLink": `Books(${book})`,
        })),
      });
      const expanded = "&$expand=Loans($select=days),Books($select=title;$expand=author($select=name))";
      assert.deepEqual((await read(library, `${url}${expanded}&$orderby=Loans/days desc&$top=1`)).value, [{
        Loans: { ID: 3, days: 30 },
        Books: { ID: 3, title: "Eleonora", author: { ID: 2, name: "Edgar" } },
      }]);
      for (const expand of ["Loans/$ref", "Loans/$count", "Loans/book", "Readers"]) {
        assert.equal(
          (await library.send("GET", `$crossjoin(Loans,Books)?$expand=${expand}`)).status,
          400,
          expand,
        );
      }
      const some =
        "$crossjoin(Books,Authors)?$filter=Books/loans/any(l:l/days gt Authors/rank)&$count=true&$top=0";
      assert.equal((await read(library, some))["@odata.count"], 3);
      const page = await read(library, "$crossjoin(Books,Authors)", { prefer: "maxpagesize=5" });
      assert.equal(page.value.length, 5);
      assert.equal((await read(library, page["@odata.nextLink"]!)).value.length, 7);
    }));

  Deno.test(`$all and $crossjoin show no rows that the caller may not read, on ${engine} (authorization)`, () =>
    withLibrary(database, async (open) => {
      await withLibrary(database, async (secret) => {
        for (
          const url of [
            "$all?$count=true",
            "$all?$top=6&$skip=3",
            "$crossjoin(Books,Authors)?$count=true&$filter=Books/author_ID eq Authors/ID",
            "$crossjoin(Books,Authors)?$filter=Books/loans/any(l:l/days gt Authors/rank)",
            "$crossjoin(Books,Loans)?$expand=*&$filter=Books/loans/$count gt 1",
            "Books/$filter(loans/any(l:l/days gt stock))",
            "Authors(1)/books/$filter(loans/any(l:l/days gt $it/stock))/$count",
          ]
        ) {
          const expected = await open.send("GET", encodeURI(url));
          assert.equal(expected.status, 200, `${url}: ${JSON.stringify(expected.body)}`);
          assert.deepEqual(await secret.send("GET", encodeURI(url)), expected, url);
        }
      }, { model: withSecrets(), data: SECRETS });
    }, { model: withSecrets() }));

  Deno.test(`POST to /$query takes options from the body, on ${engine} (URL 5.2)`, () =>
    withLibrary(database, async (library) => {
      const post = (url: string, body: string, type = "text/plain") =>
        library.send("POST", url, { body, headers: { "content-type": type } });
      const { status, body } = await post("Books/$query?$select=ID", "$filter=stock%20gt%2010&$top=1");
      assert.equal(status, 200);
      assert.deepEqual(body, {
        "@odata.context": "../$metadata#Books(ID)",
        value: [{ ID: 1 }],
      });
      const many = Array.from({ length: 300 }, (_, at) => `'${String(at).padStart(60, "x")}'`);
      const long = `$filter=title in (${many},'The Raven')&$orderby=ID%20asc`;
      assert.ok(long.length > 16 * 1024);
      assert.equal((await library.send("GET", `Books?${encodeURI(long)}`)).status, 414);
      assert.deepEqual(((await post("Books/$query", long)).body as Collection).value.map(({ ID }) => ID), [
        2,
      ]);
      assert.equal((await post("Books/$query", "x".repeat(70_000))).status, 414);
      assert.equal((await post("Books/$query", "{}", "application/json")).status, 415);
      assert.equal((await post("Books/$query", "$filter=nope eq 1")).status, 400);
      assert.equal((await post("Books(1)/title/$query", "")).status, 200);
      assert.equal((await post("$crossjoin(Books,Loans)/$query", "$top=1")).status, 200);
      const get = await library.send("GET", "Books/$query");
      assert.deepEqual([get.status, get.headers.allow], [405, "POST, OPTIONS"]);
    }));
}

Deno.test("$crossjoin refuses unknown sets, properties without set, and options that pairs do not have (URL 4.15)", () =>
  withLibrary(ENGINES.memory, async (library) => {
    const messages: Readonly<Record<string, readonly [number, RegExp]>> = {
      "$crossjoin(Books,Bokks)": [404, /no entity set "Bokks".*did you mean "Books"\?/],
      "$crossjoin(Books,Books)": [400, /joined once/],
      "$crossjoin(Books,Loans)?$filter=ID eq 1": [400, /no property "ID"/],
      "$crossjoin(Books,Loans)?$select=Books/ID": [
        400,
        /\$select is not allowed for \$crossjoin \(offset 24\)/,
      ],
      "$crossjoin(Books,Loans)?$expand=Authors": [400, /no entity set "Authors"/],
      "$crossjoin(Books,Loans)?$filter=Books/nope eq 1": [400, /no property "nope"/],
    };
    for (const [url, [status, message]] of Object.entries(messages)) {
      const answer = await library.send("GET", encodeURI(url));
      assert.equal(answer.status, status, `${url}: ${JSON.stringify(answer.body)}`);
      assert.match((answer.body as { error: { message: string } }).error.message, message, url);
    }
  }));

Deno.test("an unknown $schemaversion is 404 where the service has one (Protocol 11.2.12)", async () => {
  const model = structuredClone(withSecrets());
  Object.assign(model.definitions!.ShopService, { "@Core.SchemaVersion": "1.0" });
  await withLibrary(ENGINES.memory, async (library) => {
    for (const [version, status] of [["1.0", 200], ["*", 200], ["2.0", 404]] as const) {
      assert.equal((await library.send("GET", `Books?$schemaversion=${version}`)).status, status);
    }
  }, { model });
});

Deno.test("$entity takes a type behind it (URL 4.10)", () =>
  withLibrary(ENGINES.memory, async (library) => {
    const { body } = await library.send("GET", "$entity/ShopService.Books?$id=Books(2)&$select=title");
    assert.deepEqual(body, {
      "@odata.context": "../$metadata#Books(title,ID)/$entity",
      ID: 2,
      title: "The Raven",
    });
  }));
