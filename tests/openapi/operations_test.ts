/** Which operations `openapi.json` describes, and what they take. */

import assert from "node:assert/strict";
import { operationsOf, readDocument, shop, using } from "./described_service.ts";

Deno.test("what capabilities deny is not described, what they do not mention is (Capabilities vocabulary)", () =>
  using(
    shop(`service S {
      entity Authors { @title: 'Number' key ID : Integer; @description: 'Letters' key code : String(2); key part : Integer;
        name : String; books : Association to many Books on books.author = $self; }
      @Capabilities: { TopSupported: false, SkipSupported: false, SearchRestrictions.Searchable: false,
        FilterRestrictions.Filterable: false, CountRestrictions.Countable: false, SortRestrictions.Sortable: false,
        SelectSupport.Supported: false, ExpandRestrictions.Expandable: false, InsertRestrictions.Insertable: false,
        UpdateRestrictions.Updatable: false, DeleteRestrictions.Deletable: false }
      entity Books { key ID : Integer; author : Association to Authors; }
      @Capabilities.InsertRestrictions: null @Capabilities.DeleteRestrictions.Description: 'Old ones'
      @title: 'Papers' entity Prints { key ID : Integer; }
    }`),
    async (runtime) => {
      const document = await readDocument(runtime, "/odata/v4/s");
      const operations = operationsOf(document);
      assert.deepEqual(operations.filter((one) => / .Books/.test(one)), [
        "GET /Books",
        "GET /Books({ID})",
        "GET /Books({ID})/author",
      ]);
      assert.deepEqual(operations.filter((one) => /Prints/.test(one)), [
        "GET /Prints",
        "POST /Prints",
        "GET /Prints/$count",
        "GET /Prints({ID})",
        "PATCH /Prints({ID})",
        "PUT /Prints({ID})",
        "DELETE /Prints({ID})",
      ]);
      const { get, parameters } = document.paths["/Books"] as never as Record<
        string,
        { parameters: unknown[] }
      >;
      assert.deepEqual([get!.parameters, parameters], [[], undefined]);
      const authors = document.paths["/Authors"]!.get as unknown as { parameters: Record<string, never>[] };
      const known = ({ name, schema }: Record<string, never>) => [name, schema["items"]["anyOf"][0]["enum"]];
      assert.deepEqual(authors.parameters.map((one) => one.$ref ?? known(one)), [
        ...["top", "skip", "search", "filter", "count"].map((name) => `#/components/parameters/${name}`),
        ["$orderby", ["ID", "code", "part", "name"].flatMap((name) => [name, `${name} desc`])],
        ["$select", ["ID", "code", "part", "name"]],
        ["$expand", ["*", "books"]],
      ]);
      const keys = document.paths["/Authors(ID={ID},code='{code}',part={part})"] as unknown as typeof authors;
      assert.deepEqual(keys.parameters.map(({ name, description }) => [name, description]), [
        ["ID", "Key: Number"],
        ["code", "Key: Letters"],
        ["part", "Key"],
      ]);
      const summaries = ["/Prints", "/Books"].map((path) =>
        (document.paths[path]!.get as unknown as { summary: string }).summary
      );
      assert.deepEqual(summaries, ["List Papers", "List Books"]);
    },
  ));

Deno.test("operations name what they take, where, and whether it is required (OpenAPI 3.1.1, 4.8.12, 4.8.13)", () =>
  using(
    shop(`service S {
      @title: 'Find one' function find(title : String not null, max : Integer not null) returns Integer;
      function pick(among : many String not null, least : Integer) returns Integer;
      function now() returns Integer;
      @title: 'Lend one' action lend(reader : String not null, days : Integer); action give(days : Integer); action clear();
      entity Books { key ID : Integer; image : LargeBinary; author : Association to Authors; home : Association to Shelves; }
      entity Authors { key ID : Integer; }
      entity Shelves { key ID : Integer; }
      @odata.singleton entity Me { key ID : Integer; image : LargeBinary; author : Association to Authors; }
    }`),
    async (runtime) => {
      const { paths } = await readDocument(runtime, "/odata/v4/s");
      type Shown = Record<string, never> & { readonly parameters?: readonly Record<string, never>[] };
      const of = (path: string, method = "get") => paths[path]![method] as unknown as Shown;
      const taken = (path: string) =>
        of(path).parameters?.map((one) => [one.name, one.in, one.required ?? false, Object.keys(one).at(-1)]);
      assert.deepEqual(taken("/find(title='{title}',max={max})"), [
        ["title", "path", true, "schema"],
        ["max", "path", true, "schema"],
      ]);
      assert.deepEqual(taken("/pick()"), [["among", "query", true, "content"], [
        "least",
        "query",
        false,
        "schema",
      ]]);
      assert.equal(taken("/now()"), undefined);
      const body = (path: string) => {
        const found = of(path, "post").requestBody as undefined | Record<string, never>;
        return found && [found.required, found.content["application/json"]["schema"]["required"]];
      };
      assert.deepEqual(["/lend", "/give", "/clear"].map(body), [
        [true, ["reader"]],
        [false, undefined],
        undefined,
      ]);
      assert.deepEqual([of("/find(title='{title}',max={max})").summary, of("/now()").summary], [
        "Find one",
        "now",
      ]);
      assert.deepEqual(["/lend", "/give"].map((path) => of(path, "post").summary), ["Lend one", "give"]);
      const tags = ["/Books({ID})/author", "/Books({ID})/home", "/Me/author"].map((path) => of(path).tags);
      assert.deepEqual(tags, [["Books", "Authors"], ["Books", "Shelves"], ["Me", "Authors"]]);
      for (const [path, item] of Object.entries(paths)) {
        const { parameters } = item as unknown as Shown;
        const isOfRow = /^\/\w+\(\{ID\}\)/.test(path);
        assert.deepEqual(parameters?.map(({ name }) => name), isOfRow ? ["ID"] : undefined, path);
      }
    },
  ));
