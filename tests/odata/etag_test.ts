import assert from "node:assert/strict";
import { type Answer, type App, errorOf, withApp } from "../data/app.ts";

const MODEL = `
using { managed } from '@sap/cds/common';
entity db_Stamped { key ID : Integer; name : String(20); at : Timestamp @odata.etag @cds.on.insert: $now @cds.on.update: $now;
  plain : Association to db_Plain; children : Composition of many db_Counted on children.parent = $self; }
entity db_Counted { key ID : Integer; name : String(20); version : Integer @odata.etag default 1; parent : Association to db_Stamped; }
entity db_Marked { key ID : Integer; name : String(20); mark : UUID @odata.etag @cds.on.insert: $uuid @cds.on.update: $uuid; }
entity db_Plain { key ID : Integer; name : String(20); }
@protocol: ['odata', 'rest'] service Test {
  entity Stamped as projection on db_Stamped actions { action rename(name : String) returns Stamped; function show() returns String; };
  entity Counted as projection on db_Counted;
  entity Marked as projection on db_Marked;
  entity Plain as projection on db_Plain;
}
`;

const ROWS = {
  db_Stamped: [{ ID: 1, name: "one", at: "2020-01-01T00:00:00.000Z" }, { ID: 2, name: "none", at: null }],
  db_Counted: [{ ID: 1, name: "c", version: 3, parent_ID: 1 }],
  db_Marked: [{ ID: 1, name: "m", mark: "01234567-89ab-4cde-8f01-23456789abcd" }],
  db_Plain: [{ ID: 1, name: "p" }],
};

const AT = 'W/"2020-01-01T00:00:00.000Z"';

function withTags(test: (app: App) => Promise<unknown>): Promise<void> {
  return withApp({
    model: MODEL,
    rows: ROWS,
    handlers: (srv) => {
      srv.on("rename", "Stamped", async (req) => {
        await srv.run({ UPDATE: { entity: req.subject!, data: { ...req.data as object } } });
        return srv.run({ SELECT: { from: req.subject!, one: true } });
      });
      srv.on("show", "Stamped", () => "shown");
    },
  }, test);
}

function tagOf(answer: Answer): string {
  const tag = answer.headers.get("etag");
  assert.ok(tag, answer.text);
  return tag;
}

Deno.test("reads carry the version as header and control information", () =>
  withTags(async (app) => {
    const one = await app.get("Stamped(1)");
    assert.equal(tagOf(one), AT);
    assert.equal(one.body["@odata.etag"], AT);
    const [row] = await app.rows("Stamped?$select=name&$expand=children($select=name)");
    assert.equal(row!["@odata.etag"], AT);
    assert.equal((row!.children as unknown as { "@odata.etag": string }[])[0]!["@odata.etag"], 'W/"3"');
    assert.equal(tagOf(await app.get("Counted(1)?$select=name")), 'W/"3"');
    assert.equal(tagOf(await app.get("Marked(1)")), 'W/"01234567-89ab-4cde-8f01-23456789abcd"');
    assert.equal(tagOf(await app.get("Counted(1)/parent")), AT);
    assert.equal((await app.get("Plain(1)")).headers.get("etag"), null);
    const empty = await app.get("Stamped(2)");
    assert.equal(empty.headers.get("etag"), null);
  }));

Deno.test("If-None-Match of a read: 304 for the version at hand, in lists and as *", () =>
  withTags(async (app) => {
    const read = (tags: string) => app.get("Stamped(1)", { "if-none-match": tags });
    for (const tags of [AT, '"2020-01-01T00:00:00.000Z"', `"x", ${AT}`, "*"]) {
      const answer = await read(tags);
      assert.equal(answer.status, 304, tags);
      assert.equal(answer.text, "");
      assert.equal(tagOf(answer), AT);
    }
    assert.equal((await read('W/"other"')).status, 200);
    assert.equal((await app.get("Stamped(1)", { "if-match": 'W/"other"' })).status, 412);
    assert.equal((await app.get("Stamped(1)", { "if-match": AT })).status, 200);
    assert.equal((await app.get("Plain(1)", { "if-none-match": 'W/"1"' })).status, 200);
  }));

Deno.test("writes need If-Match: 428 without, 412 for another version or a missing row", () =>
  withTags(async (app) => {
    for (const path of ["Stamped(1)", "Counted(1)", "Marked(1)"]) {
      for (const method of ["PATCH", "PUT", "DELETE"]) {
        const sent = method === "DELETE" ? {} : { body: { name: "x" } };
        errorOf(await app.send(method, path, sent), 428);
        errorOf(await app.send(method, path, { ...sent, headers: { "if-match": 'W/"9"' } }), 412);
      }
    }
    errorOf(await app.patch("Stamped(99)", { name: "x" }, { "if-match": AT }), 412);
    errorOf(await app.patch("Stamped(99)", { name: "x" }, { "if-match": "*" }), 412);
    errorOf(await app.send("DELETE", "Stamped(99)", { headers: { "if-match": "*" } }), 412);
    assert.equal((await app.get("Stamped(1)")).body.name, "one");
  }));

Deno.test("a write with the right version gives the next one", () =>
  withTags(async (app) => {
    for (const path of ["Stamped(1)", "Marked(1)"]) {
      const old = tagOf(await app.get(path));
      const changed = await app.patch(path, { name: "x" }, { "if-match": `"other", ${old}` });
      assert.equal(changed.status, 200, changed.text);
      const next = tagOf(changed);
      assert.notEqual(next, old);
      assert.equal(changed.body["@odata.etag"], next);
      errorOf(await app.patch(path, { name: "y" }, { "if-match": old }), 412);
      const minimal = await app.patch(path, { name: "y" }, { "if-match": next, prefer: "return=minimal" });
      assert.equal(minimal.status, 204);
      assert.equal(tagOf(minimal), tagOf(await app.get(path)));
      assert.equal((await app.patch(path, { name: "z" }, { "if-match": "*" })).status, 200);
      const last = tagOf(await app.get(path));
      assert.equal((await app.send("DELETE", path, { headers: { "if-match": last } })).status, 204);
    }
  }));

Deno.test("a version that nobody updates is what clients write", () =>
  withTags(async (app) => {
    const changed = await app.patch("Counted(1)", { name: "x", version: 4 }, { "if-match": 'W/"3"' });
    assert.equal(changed.status, 200, changed.text);
    assert.equal(tagOf(changed), 'W/"4"');
    const same = await app.patch("Counted(1)", { name: "y" }, { "if-match": 'W/"4"' });
    assert.equal(tagOf(same), 'W/"4"');
    const created = await app.post("Counted", { ID: 2 });
    assert.equal(tagOf(created), 'W/"1"');
  }));

Deno.test("If-None-Match: * on writes creates, and never updates", () =>
  withTags(async (app) => {
    errorOf(await app.patch("Plain(1)", { name: "x" }, { "if-none-match": "*" }), 412);
    assert.equal((await app.patch("Plain(2)", { name: "x" }, { "if-none-match": "*" })).status, 201);
    errorOf(await app.send("PUT", "Stamped(1)", { body: {}, headers: { "if-none-match": "*" } }), 412);
    const created = await app.send("PUT", "Stamped(3)", { body: {}, headers: { "if-none-match": "*" } });
    assert.equal(created.status, 201, created.text);
    assert.ok(tagOf(created));
  }));

Deno.test("If-None-Match: * on DELETE and on writes by REST is 412 where the row is there, else 404 or 201 (RFC 9110 13.1.2)", () =>
  withTags(async (app) => {
    const headers = { "if-none-match": "*" };
    assert.equal((await app.send("DELETE", "Plain(1)", { headers })).status, 412);
    assert.equal((await app.send("DELETE", "Stamped(1)", { headers })).status, 412);
    assert.equal((await app.send("DELETE", "Plain(9)", { headers })).status, 404);
    const rest = "/rest/test/Plain";
    for (const method of ["PUT", "PATCH"]) {
      assert.equal((await app.send(method, `${rest}/1`, { body: { name: "x" }, headers })).status, 412);
    }
    assert.equal((await app.send("PUT", `${rest}/8`, { body: { name: "x" }, headers })).status, 201);
    assert.equal((await app.get("Plain(1)")).body.name, "p");
  }));

for (const database of ["sqlite", "memory"] as const) {
  Deno.test(`of requests that create the same row at the same time one creates it, the others change it (${database}) (Protocol 11.4.4)`, () =>
    withApp({ model: MODEL, rows: ROWS, database }, async (app) => {
      const statuses = async (path: string, sent: Parameters<App["send"]>[2]) => {
        const one = async (name: string) => (await app.send("PUT", path, { ...sent, body: { name } })).status;
        return (await Promise.all(["a", "b", "c", "d"].map(one))).sort();
      };
      assert.deepEqual(await statuses("Plain(20)", {}), [200, 200, 200, 201]);
      assert.deepEqual(await statuses("/rest/test/Plain/21", {}), [200, 200, 200, 201]);
      const headers = { "if-none-match": "*" };
      assert.deepEqual(await statuses("Plain(22)", { headers }), [201, 412, 412, 412]);
      assert.equal((await app.rows("Plain")).length, 4);
    }));
}

for (const database of ["sqlite", "memory"] as const) {
  Deno.test(`of requests that change a reference of the same version one wins (${database}) (Protocol 11.4.1.1)`, () =>
    withApp({ model: MODEL, rows: ROWS, database }, async (app) => {
      const statuses = async (method: string, body?: object) => {
        const headers = { "if-match": tagOf(await app.get("Stamped(1)")) };
        const one = async () => (await app.send(method, "Stamped(1)/plain/$ref", { headers, body })).status;
        return (await Promise.all([one(), one(), one()])).sort();
      };
      assert.deepEqual(await statuses("PUT", { "@odata.id": "Plain(1)" }), [204, 412, 412]);
      assert.deepEqual(await statuses("DELETE"), [204, 412, 412]);
      assert.equal((await app.send("DELETE", "Stamped(1)/plain/$ref")).status, 204);
      assert.equal((await app.send("DELETE", "Stamped(9)/plain/$ref")).status, 404);
    }));
}

Deno.test("PUT with If-Match never creates, without it creates", () =>
  withTags(async (app) => {
    errorOf(await app.send("PUT", "Stamped(7)", { body: {}, headers: { "if-match": "*" } }), 412);
    assert.equal((await app.send("PUT", "Stamped(7)", { body: { name: "n" } })).status, 201);
  }));

Deno.test("bound actions need the version, functions do not", () =>
  withTags(async (app) => {
    const rename = (headers?: Record<string, string>) =>
      app.post("Stamped(1)/rename", { name: "new" }, headers);
    errorOf(await rename(), 428);
    errorOf(await rename({ "if-match": 'W/"x"' }), 412);
    const done = await rename({ "if-match": AT });
    assert.equal(done.status, 200, done.text);
    assert.equal(done.body.name, "new");
    assert.equal(tagOf(done), done.body["@odata.etag"] as unknown);
    assert.equal((await app.get("Stamped(1)/show()")).status, 200);
    errorOf(await app.post("Stamped(99)/rename", { name: "x" }, { "if-match": "*" }), 412);
  }));

Deno.test("parts of a batch have their own preconditions", () =>
  withTags(async (app) => {
    const patch = (match?: string) => ({
      method: "PATCH",
      url: "Stamped(1)",
      body: { name: "b" },
      headers: match ? { "if-match": match } : {},
    });
    const answers = await app.batch([
      patch(),
      patch('W/"x"'),
      { method: "GET", url: "Stamped(1)", headers: { "if-none-match": AT } },
      patch(AT),
      patch(AT),
    ], { headers: { "if-match": AT } });
    assert.deepEqual(answers.map(({ status }) => status as unknown), [428, 412, 304, 200, 412]);
    const headers = answers[3]!.headers as unknown as Record<string, string>;
    assert.equal(headers.etag, answers[3]!.body!["@odata.etag"] as unknown);
  }));

Deno.test("in a change set one stale version undoes all", () =>
  withTags(async (app) => {
    const patch = (path: string, match: string) => ({
      method: "PATCH",
      url: path,
      body: { name: "b" },
      headers: { "if-match": match },
      atomicityGroup: "g",
    });
    const answers = await app.batch([patch("Stamped(1)", AT), patch("Counted(1)", 'W/"1"')]);
    assert.deepEqual(answers.map(({ status }) => status as unknown), [424, 412]);
    assert.equal((await app.get("Stamped(1)")).body.name, "one");
  }));

Deno.test("malformed tags are refused", () =>
  withTags(async (app) => {
    for (const tags of ["abc", "", 'W/"a" "b"', '"a', ","]) {
      const answer = await app.patch("Stamped(1)", {}, { "if-match": tags });
      assert.ok([400, 428].includes(answer.status), `${tags}: ${answer.status}`);
    }
  }));

Deno.test("a version guards single properties too", () =>
  withTags(async (app) => {
    const put = (headers: Record<string, string>) =>
      app.send("PUT", "Stamped(1)/name", { body: { value: "v" }, headers });
    errorOf(await put({}), 428);
    errorOf(await put({ "if-match": 'W/"x"' }), 412);
    const done = await put({ "if-match": AT });
    assert.equal(done.status, 200, done.text);
  }));

const VERSIONS: Readonly<Record<string, readonly [type: string, value: unknown]>> = {
  Timestamp: ["Timestamp", "2020-01-01T00:00:00Z"],
  DateTime: ["DateTime", "2020-01-01T00:00:00Z"],
  Date: ["Date", "2020-01-01"],
  Int64: ["Int64", "9007199254740993"],
  Decimal: ["Decimal(9,2)", 1.5],
  Text: ["String(40)", 'a "quoted", ünï %41 *'],
  Flag: ["Boolean", true],
};

for (const database of ["sqlite", "memory"] as const) {
  Deno.test(`a version of any type guards its row (${database})`, async () => {
    const names = Object.keys(VERSIONS);
    const model = names.map((name) =>
      `entity db_${name} { key ID : Integer; name : String; v : ${VERSIONS[name]![0]} @odata.etag; }`
    ).join("\n") +
      `service Test { ${
        names.map((name) => `entity ${name} as projection on db_${name};`).join(" ")
      } }`;
    const rows = Object.fromEntries(names.map((name) => [`db_${name}`, [{ ID: 1, v: VERSIONS[name]![1] }]]));
    await withApp({ model, rows, database }, async (app) => {
      for (const name of names) {
        const path = `${name}(1)`;
        const tag = tagOf(await app.get(path));
        assert.match(tag, /^W\/"[\x21\x23-\x7e]+"$/, name);
        assert.equal((await app.get(path, { "if-none-match": tag })).status, 304, name);
        errorOf(await app.patch(path, { name: "x" }, { "if-match": 'W/"zz"' }), 412);
        const changed = await app.patch(path, { name: "x" }, { "if-match": tag });
        assert.equal(changed.status, 200, `${name} ${tag} ${changed.text}`);
        assert.equal(tagOf(changed), tag, name);
      }
    });
  });
}
