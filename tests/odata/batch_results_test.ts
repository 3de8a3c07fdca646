import assert from "node:assert/strict";
import { BatchResults } from "../../src/odata/batch/batch_results.ts";
import { DEFAULT_LIMITS } from "../../src/config/limits.ts";
import { stringify } from "../../src/odata/payload/write_value.ts";
import { type HeaderEntry, HeaderList } from "../../src/odata/header_list.ts";

Deno.test("a body with values in place of references may be as long as any body, and no longer (Protocol 11.7.6)", () => {
  const results = new BatchResults(10);
  const headers = new HeaderList([["content-type", "application/json"]]);
  const name = "x".repeat(90);
  results.add("1", { status: 200, headers, body: JSON.stringify({ name }) }, "Authors(1)");
  const listed = (item: string) => JSON.stringify(Array.from({ length: 9 }, () => item));
  const expected = listed(name);
  const body = (maxBytes: number) => results.body(listed("$1/name"), new Set(["1"]), maxBytes);
  assert.equal(body(expected.length), expected);
  const most = expected.length - 1;
  assert.throws(() => body(most), { status: 413, message: `The body exceeds ${most} bytes` });
});

Deno.test("a request alone stands for the value that it answered, else for its object (Protocol 11.7.6)", () => {
  const headers = new HeaderList([["content-type", "application/json"]]);
  const referred = (answer: object, reference: string) => {
    const results = new BatchResults(10);
    results.add("1", { status: 200, headers, body: JSON.stringify(answer) }, "Authors(1)");
    return JSON.parse(results.body(JSON.stringify({ given: reference }), new Set(["1"]), 1_000)!).given;
  };
  assert.equal(referred({ "@odata.context": "x", "value": 5 }, "$1"), 5);
  for (const answer of [{ ID: 5 }, { value: 5, ID: 6 }]) assert.deepEqual(referred(answer, "$1"), answer);
  assert.deepEqual(referred({ of: { value: 5 } }, "$1/of"), { value: 5 });
});

/** The answers of requests `1`, `it` and `bad`, which failed. */
function answered(body: object, headers: readonly (readonly [string, string])[] = []): BatchResults {
  const results = new BatchResults(10);
  for (const id of ["1", "it"]) {
    const list = new HeaderList([
      ["content-type", "application/json"],
      ...headers.map(([name, value]): HeaderEntry => [name, value]),
    ]);
    results.add(id, { status: 200, headers: list, body: JSON.stringify(body) }, "Authors(1)?$top=1");
  }
  results.add("bad", { status: 400, headers: new HeaderList(), body: "" }, "Authors(2)");
  return results;
}

Deno.test("a path behind a request leads to members of its answer, $count to how many rows there are (Protocol 11.7.6.2)", () => {
  const cases: readonly (readonly [body: object, path: string, value: unknown])[] = [
    [{ name: "a" }, "", { name: "a" }],
    [{ name: "a" }, "/name", "a"],
    [{ name: null }, "/name", null],
    [{ name: "a" }, "/toString", null],
    [{ name: "a" }, "/other", null],
    [{ name: "a" }, "/name/length", null],
    [{ name: "a" }, "/$count", null],
    [{ "value": [1, 2] }, "/$count", 2],
    [{ "value": [1, 2] }, "/value", [1, 2]],
    [{ "value": [1, 2] }, "/value/$count", 2],
    [{ "value": [1, 2] }, "/value/length", null],
    [{ "value": [1, 2] }, "/name", null],
    [{ "value": 7 }, "/$count", null],
    [{ tags: ["x"] }, "/tags/$count", 1],
    [{ address: { city: "b" } }, "/address/city", "b"],
    [{ name: "a" }, "/$succeeded", true],
    [{ name: "a" }, "/name/$succeeded", null],
    [{ name: "a" }, "/$succeeded/name", null],
  ];
  for (const [body, path, value] of cases) {
    assert.deepEqual(
      JSON.parse(stringify(answered(body).value("1", path))),
      value,
      JSON.stringify([body, path]),
    );
  }
  const results = answered({});
  assert.equal(results.value("1", "/toString"), null);
  assert.equal(results.value("bad", "/$succeeded"), false);
  assert.equal(results.value("other", "/$succeeded"), false);
  assert.equal(results.value("other", "/name"), null);
  results.add(
    "text",
    { status: 200, headers: new HeaderList([["content-type", "text/plain"]]), body: "{}" },
    "x",
  );
  assert.equal(results.value("text", ""), null);
  results.add("bytes", {
    ...{ status: 200, headers: new HeaderList([["content-type", "application/json"]]) },
    body: new Uint8Array(1),
  }, "x");
  assert.equal(results.value("bytes", ""), null);
});

Deno.test("a query has values as literals in place of references, but for those in texts and predefined ones (Protocol 11.7.6.1)", () => {
  const results = answered({
    name: "O'Neil & co",
    ID: 7,
    big: 12345678901234567890n.toString(),
    none: null,
    rows: [1],
  });
  const query = (text: string) => {
    const limits = { ...DEFAULT_LIMITS };
    return decodeURIComponent(results.query(`E?$filter=${text}`, limits).slice("E?$filter=".length));
  };
  const cases: readonly (readonly [given: string, resolved: string])[] = [
    ["ID eq $1/ID", "ID eq 7"],
    ["ID eq %241/ID", "ID eq 7"],
    ["name eq $1/name", "name eq 'O''Neil & co'"],
    ["name eq $1/none", "name eq null"],
    ["ID in $1/rows", "ID in [1]"],
    ["name eq '$1/name'", "name eq '$1/name'"],
    ["$it/ID eq 1", "$it/ID eq 1"],
    ["ID eq $it/ID", "ID eq $it/ID"],
    ["ID eq $root/E(1)/ID", "ID eq $root/E(1)/ID"],
    ["ID eq $2/ID", "ID eq $2/ID"],
    ["ID eq 1", "ID eq 1"],
  ];
  for (const [given, resolved] of cases) assert.equal(query(given), resolved, given);
  assert.throws(() => query("ID eq $bad/ID"), { status: 424 });
  for (const path of ["$1/name", "E$"]) {
    assert.equal(results.query(path, { ...DEFAULT_LIMITS, urlLength: 1 }), path);
  }
});

Deno.test("a query may get as long by values as any URL, and no longer (Protocol 11.7.6.1)", () => {
  const name = "x".repeat(20);
  const results = answered({ name, rows: [1, 2, 3], long: "y".repeat(100) });
  const query = (url: string, urlLength: number) => results.query(url, { ...DEFAULT_LIMITS, urlLength });
  const expected = `E?$filter=a eq '${name}'`;
  assert.equal(query("E?$filter=a eq $1/name", expected.length), expected);
  assert.throws(() => query("E?$filter=a eq $1/name", expected.length - 1), { status: 414 });
  const twice = `${expected} or b eq '${name}'`;
  const given = "E?$filter=a eq $1/name or b eq $1/name";
  assert.equal(query(given, twice.length), twice);
  assert.throws(() => query(given, twice.length - 1), { status: 414 });
  assert.throws(() => query("E?$filter=a eq $1/long", 100), { status: 414 });
  assert.throws(() => query("E?$filter=a eq $2/long", 21), { status: 414 });
});

Deno.test("$<id> as version is that of the answer, which has to have one (Protocol 11.7.7.1)", () => {
  const results = answered({}, [["etag", 'W/"5"']]);
  assert.equal(results.tag("$1"), 'W/"5"');
  assert.equal(results.tag(" $1 "), 'W/"5"');
  for (const header of ['W/"1"', "*", "$2", "$1, $1", "1"]) assert.equal(results.tag(header), header);
  assert.throws(() => results.tag("$bad"), { status: 424 });
  assert.throws(() => answered({}).tag("$1"), {
    status: 400,
    message: 'The answer to request "1" has no ETag',
  });
});

Deno.test("$<id> stands for the URL of the entity that was answered, else for that of the request (Protocol 11.7.7.2)", () => {
  const results = answered({ ID: 1, name: "a" });
  assert.equal(results.get("1"), "Authors(1)");
  assert.equal(results.get("bad"), undefined);
  assert.equal(results.get("2"), undefined);
  assert.equal(results.isAnswer({ ID: 1, name: "a" }), false);
  results.add("new", {
    ...{ status: 201, entityUrl: "Authors(9)", body: JSON.stringify({ "@odata.context": "x", "ID": 9 }) },
    headers: new HeaderList([["content-type", "application/json"]]),
  }, "Authors");
  assert.equal(results.get("new"), "Authors(9)");
  assert.equal(results.isAnswer({ ID: 9 }), true);
  assert.equal(results.isAnswer({ ID: 1 }), false);
  assert.equal(results.succeeded("new"), true);
  results.add("old", {
    ...{ status: 409, entityUrl: "Authors(8)", body: JSON.stringify({ ID: 8 }) },
    headers: new HeaderList([["content-type", "application/json"]]),
  }, "Authors");
  assert.deepEqual([results.get("old"), results.isAnswer({ ID: 8 })], [undefined, false]);
  results.fail("new");
  assert.deepEqual([results.get("new"), results.succeeded("new"), results.isAnswer({ ID: 9 })], [
    undefined,
    false,
    false,
  ]);
  results.succeed("group");
  assert.deepEqual(["group", "bad", "2"].map((id) => results.succeeded(id)), [true, false, undefined]);
});

Deno.test("texts of a body that are references and nothing else have values in their place, links and others keep theirs (Protocol 11.7.6)", () => {
  const results = answered({ name: "a", ID: 7 });
  const body = (value: unknown, ids = ["1", "bad"]) =>
    JSON.parse(results.body(JSON.stringify(value), new Set(ids), 1_000));
  const cases: readonly (readonly [given: unknown, resolved: unknown])[] = [
    [{ x: "$1/ID" }, { x: 7 }],
    [{ x: ["$1/name", "b"] }, { x: ["a", "b"] }],
    [{ x: { y: "$1/name" } }, { x: { y: "a" } }],
    [{ "author@odata.bind": "$1" }, { "author@odata.bind": "$1" }],
    [{ "tags@odata.bind": ["$1/name"] }, { "tags@odata.bind": ["a"] }],
    [{ x: "$it/name" }, { x: "$it/name" }],
    [{ x: "$2/name" }, { x: "$2/name" }],
    [{ x: "$1/name b" }, { x: "$1/name b" }],
    [{ x: "a $1/name" }, { x: "a $1/name" }],
    [{ x: null, y: 1 }, { x: null, y: 1 }],
  ];
  for (const [given, resolved] of cases) assert.deepEqual(body(given), resolved);
  assert.deepEqual(body({ x: "$1/name" }, []), { x: "$1/name" });
  assert.throws(() => body({ x: "$bad/name" }), { status: 424 });
  const broken = '{"x":"$1/name"';
  assert.equal(results.body(broken, new Set(["1"]), 1_000), broken);
  const plain = '{ "x" : "$9" }';
  assert.equal(results.body(plain, new Set(["9"]), 1_000), plain);
});
