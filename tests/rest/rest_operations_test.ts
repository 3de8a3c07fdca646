import assert from "node:assert/strict";
import type { ApplicationService, ServiceRequest } from "../../mod.ts";
import { type App, errorOf, withApp } from "../data/app.ts";

const MODEL = `
entity db_Books { key ID : Integer; title : String(20); author : Association to db_Authors; }
entity db_Authors { key ID : Integer; name : String(20); books : Association to many db_Books on books.author = $self; }
type Place { city : String(20); zip : Integer; }
@protocol: 'rest'
service Test {
  entity Books as projection on db_Books;
  entity Authors as projection on db_Authors;
  function text(of : Integer) returns String;
  function given(whole : Integer, large : Int64, double : Double, exact : Decimal, yes : Boolean, text : String,
    list : many Integer, place : Place) returns LargeString;
  function book() returns Books;
  function books() returns many Books;
  function exact() returns Decimal;
  function large() returns Int64;
  action made(status : Integer, text : String) returns String;
  function spot() returns Place;
  function nothing() returns String;
  function nobody() returns many Books;
  action forget();
  action fetch() returns Place;
}
`;

const ROWS = {
  db_Authors: [{ ID: 1, name: "Emily" }],
  db_Books: [{ ID: 1, title: "Heights", author_ID: 1 }],
};

function handlers(srv: ApplicationService): void {
  srv.on("text", (req: ServiceRequest<{ of: number }>) => "x".repeat(req.data.of));
  srv.on("given", (req: ServiceRequest) => JSON.stringify(req.data));
  srv.on("book", () => [{ ID: 7, title: "Made" }]);
  srv.on("books", () => [{ ID: 7, title: "Made" }, { ID: 8, title: "Again" }]);
  srv.on("exact", () => "12345678901234567.25");
  srv.on("large", () => "9007199254740993");
  srv.on("made", (req: ServiceRequest<{ status: number; text: string | null }>) => {
    req.res!.status(req.data.status);
    return req.data.text;
  });
  srv.on("nothing", () => null);
  srv.on("nobody", () => []);
  srv.on("forget", () => "kept to itself");
  srv.on("fetch", () => ({ city: "Bonn", zip: 53111 }));
}

function withBooks(test: (app: App) => Promise<unknown>): Promise<void> {
  return withApp({ model: MODEL, rows: ROWS, handlers }, test);
}

const at = (path: string) => `/rest/test/${path}`;

Deno.test("REST answers results of operations as they are: text, a row, rows, a structure, nothing", () =>
  withBooks(async (app) => {
    const text = await app.get(at("text?of=3"));
    assert.deepEqual([text.status, text.text, text.headers.get("content-type")], [
      ...[200, "xxx", "text/plain;charset=utf-8"],
    ]);
    assert.deepEqual((await app.get(at("book"))).body as unknown, { ID: 7, title: "Made" });
    assert.deepEqual((await app.get(at("books"))).body as unknown, [
      { ID: 7, title: "Made" },
      { ID: 8, title: "Again" },
    ]);
    assert.deepEqual((await app.get(at("nobody"))).body as unknown, []);
    assert.deepEqual((await app.post(at("fetch"), {})).body as unknown, { city: "Bonn", zip: 53111 });
    for (const answer of [await app.get(at("nothing")), await app.post(at("forget"), {})]) {
      assert.deepEqual([answer.status, answer.text], [204, ""]);
    }
  }));

Deno.test("REST has no paths behind functions, whatever the method: they belong to OData", () =>
  withBooks(async (app) => {
    for (const path of ["books()/$count", "books()/7", "books()/7/title", "book()/author", "spot()/city"]) {
      for (const method of ["GET", "OPTIONS", "POST", "DELETE"]) {
        assert.equal((await app.send(method, at(path))).status, 404, `${method} ${path}`);
      }
    }
  }));

Deno.test("REST answers exact numbers as numbers, with all their digits", () =>
  withBooks(async (app) => {
    for (const [path, text] of [["exact", "12345678901234567.25"], ["large", "9007199254740993"]] as const) {
      const answer = await app.get(at(path));
      assert.deepEqual([answer.text, answer.headers.get("content-type")], [text, "application/json"]);
    }
  }));

Deno.test("REST answers with the status that the handler of an operation has set, whatever it returns", () =>
  withBooks(async (app) => {
    for (const text of ["x", null]) {
      const answer = await app.post(at("made"), { status: 202, text });
      assert.deepEqual([answer.status, answer.text], [202, text ?? ""]);
    }
  }));

Deno.test("REST creates a row by PUT below another one with the link to it", () =>
  withBooks(async (app) => {
    const { status, body } = await app.send("PUT", at("Authors/1/books/5"), { body: { title: "New" } });
    assert.deepEqual([status, body] as unknown, [201, { title: "New", ID: 5, author_ID: 1 }]);
    assert.equal((await app.get(at("Books/5"))).body.author_ID as unknown, 1);
  }));

Deno.test("REST expands what is not there as null, whatever is selected", () =>
  withBooks(async (app) => {
    await app.post(at("Books"), { ID: 6, title: "Alone" });
    const { status, body } = await app.get(at("Books/6?$select=title&$expand=author($select=name)"));
    assert.deepEqual([status, body] as unknown, [200, { title: "Alone", author: null }]);
  }));

Deno.test("REST takes parameters of functions as the text of options, by their types", () =>
  withBooks(async (app) => {
    const given = async (query: string) => JSON.parse((await app.get(at(`given?${query}`))).text) as unknown;
    assert.deepEqual(await given("whole=5&double=1.5e1&yes=true"), { whole: 5, double: 15, yes: true });
    assert.deepEqual(await given("exact=12345678901234567.25"), { exact: "12345678901234567.25" });
    assert.deepEqual(await given("yes=false&text=5"), { yes: false, text: "5" });
    assert.deepEqual(await given("text='it''s'&whole=null"), { text: "it's", whole: null });
    assert.deepEqual(await given('list=[1,2]&place={"city":"Bonn"}'), {
      list: [1, 2],
      place: { city: "Bonn" },
    });
    for (
      const query of ["whole=", "whole=%20", "whole=x", "double=true", "list=5", "text=5&whole=1.5"]
    ) {
      errorOf(await app.get(at(`given?${query}`)), 400);
    }
  }));

Deno.test("REST takes true and false as Boolean parameters, and nothing else", () =>
  withBooks(async (app) => {
    assert.deepEqual(JSON.parse((await app.get(at("given?yes=TRUE"))).text), { yes: true });
    assert.deepEqual(JSON.parse((await app.get(at("given?yes=False"))).text), { yes: false });
    for (const text of ["1", "0", "x", "", "'true'", "untrue", "falsely"]) {
      const { code, target } = errorOf(await app.get(at(`given?yes=${text}`)), 400);
      assert.deepEqual([code, target], ["ASSERT_DATA_TYPE", "yes"]);
    }
  }));

Deno.test("REST tells by OPTIONS which methods a resource takes", () =>
  withBooks(async (app) => {
    const allowed = async (path: string) => {
      const { status, headers } = await app.send("OPTIONS", at(path), {});
      return [status, headers.get("allow")];
    };
    assert.deepEqual(await allowed("Books"), [204, "GET, POST, HEAD, OPTIONS"]);
    assert.deepEqual(await allowed("Books/1"), [204, "GET, PATCH, PUT, DELETE, HEAD, OPTIONS"]);
    assert.deepEqual(await allowed("Books/1/title/$value"), [204, "GET, HEAD, OPTIONS"]);
  }));

Deno.test("REST does not have the resources of OData, whatever the method; others list the methods they have (RFC 9110, 15.5.6)", () =>
  withBooks(async (app) => {
    const ofOData = ["Books/$each", "Books/$ref", "Books/1/author/$ref", "$all"];
    for (const path of [...ofOData, "$metadata", "$batch", "$crossjoin(Books,Authors)"]) {
      for (const method of ["GET", "OPTIONS", "DELETE", "PUT"]) {
        const { status, headers } = await app.send(method, at(path), method === "PUT" ? { body: {} } : {});
        assert.deepEqual([status, headers.get("allow")], [404, null], `${method} ${path}`);
      }
    }
    for (const path of ["Books/1/title/$value", "Books/$count", ""]) {
      const { status, headers } = await app.send("DELETE", at(path), {});
      assert.deepEqual([status, headers.get("allow")], [405, "GET, HEAD, OPTIONS"], path);
    }
  }));

Deno.test("REST shows the keys of a selected association, and a row that PUT creates with its links", () =>
  withBooks(async (app) => {
    const selected = await app.get(at("Books/1?$select=title,author"));
    assert.deepEqual(selected.body as unknown, { title: "Heights", author_ID: 1 });
    assert.deepEqual((await app.get(at("Books/1?$select=title"))).body as unknown, { title: "Heights" });
    const created = await app.send("PUT", at("Books/2"), { body: { title: "New" } });
    assert.deepEqual([created.status, created.body] as unknown, [201, { title: "New", ID: 2 }]);
    const replaced = await app.send("PUT", at("Books/2"), { body: { title: "Newer" } });
    assert.deepEqual([replaced.status, replaced.body] as unknown, [200, { title: "Newer", ID: 2 }]);
  }));

Deno.test("REST tells rows that are none from rows below one that is missing, which answer 404 (RFC 9110, 15.5.5)", () =>
  withBooks(async (app) => {
    await app.post(at("Authors"), { ID: 2, name: "Anne" });
    await app.post(at("Books"), { ID: 6, title: "Alone" });
    const answers = [
      ...[["Authors/2/books", 200, []], ["Authors/2/books/$count", 200, 0], [
        "Books/6/author",
        204,
        undefined,
      ]],
      ...[["Authors/9/books", 404], ["Authors/9/books/$count", 404], ["Books/9/author", 404]],
    ] as const;
    for (const [path, status, body] of answers) {
      const answer = await app.get(at(path));
      assert.equal(answer.status as unknown, status, path);
      if (status === 200) assert.deepEqual(answer.body as unknown, body, path);
    }
  }));

Deno.test("REST shows all of a row where a star is selected, or only members of what is expanded", () =>
  withBooks(async (app) => {
    const expand = "$expand=books($select=title)";
    const row = { ID: 1, name: "Emily", books: [{ title: "Heights" }] };
    for (const url of [`Authors/1?$select=*&${expand}`, `Authors/1?${expand}`]) {
      assert.deepEqual((await app.get(at(url))).body as unknown, row, url);
    }
  }));
