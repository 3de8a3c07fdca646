import assert from "node:assert/strict";
import { ENGINES } from "./engines.ts";
import type { Shop } from "./fixture_host.ts";
import { withShop } from "./with_shop.ts";

interface PartBody {
  readonly id: string;
  readonly status: number;
  readonly body?: { readonly value?: unknown; readonly error?: { readonly message: string } };
  readonly headers: Readonly<Record<string, string>>;
}

async function batch(shop: Shop, ...requests: object[]): Promise<readonly PartBody[]> {
  const answer = await shop.send("POST", "$batch", { body: { requests } });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return (answer.body as { responses: readonly PartBody[] }).responses;
}

const get = (id: string, url: string, more = {}) => ({ id, method: "get", url, ...more });
const send = (method: string) => (id: string, url: string, body: unknown, more = {}) => ({
  id,
  method,
  url,
  body,
  ...more,
});
const post = send("post");
const patch = send("patch");
const statuses = (parts: readonly PartBody[]) => parts.map(({ status }) => status);

for (const [engine, database] of Object.entries(ENGINES)) {
  Deno.test(`a version that an answer told is asked for by $<id> (Protocol 11.7.5, ${engine})`, () =>
    withShop(async (shop) => {
      const tag = { headers: { "if-match": "$1" } };
      const parts = await batch(
        shop,
        get("1", "Versions(1)"),
        patch("2", "Versions(1)", { name: "a", version: 2 }, tag),
        patch("3", "Versions(1)", { name: "b" }, tag),
        patch("4", "Versions(1)", { name: "c" }, { headers: { "if-match": " $2 " } }),
        patch("5", "Versions(1)", { name: "d" }, { headers: { "if-match": "$3" } }),
        get("6", "Books(201)"),
        patch("7", "Versions(1)", { name: "e" }, { headers: { "if-match": "$6" } }),
        get("8", "Versions(1)", { headers: { "if-none-match": "$4" } }),
      );
      assert.deepEqual(statuses(parts), [200, 200, 412, 200, 424, 200, 400, 304]);
      assert.equal(parts[6]!.body!.error!.message, 'The answer to request "6" has no ETag');
      assert.equal((await shop.send("GET", "Versions(1)/name/$value")).body, "c");
    }, { database }));

  Deno.test(`queries use values of answers before them (Protocol 11.7.6, ${engine})`, () =>
    withShop(async (shop) => {
      const parts = await batch(
        shop,
        post("1", "Authors", { ID: 7, name: "O'Neill $2" }),
        post("2", "Books", { "ID": 9, "title": "x", "author@odata.bind": "$1" }),
        get("3", "Books?$filter=author_ID eq $1/ID&$select=ID", { dependsOn: ["1"] }),
        get("4", "Authors?$filter=name%20eq%20%241/name%20and%20name%20ne%20'$1/name'&$select=ID"),
        get("5", "Authors/$count?$filter=name eq $2/nothing"),
        get("6", "Authors(99)"),
        get("7", "Books?$filter=ID eq $6/ID"),
        get("8", "Books?$filter=ID eq $9/ID"),
      );
      assert.deepEqual(statuses(parts), [201, 201, 200, 200, 200, 404, 424, 400]);
      assert.deepEqual(parts[2]!.body!.value, [{ ID: 9 }]);
      assert.deepEqual(parts[3]!.body!.value, [{ ID: 7 }]);
      assert.deepEqual(parts[4]!.body as unknown, "0");
    }, { database }));

  Deno.test(`a URL stays within its limit when it gets values of answers (Protocol 11.7.6, ${engine})`, () =>
    withShop(async (shop) => {
      const tags = Array.from({ length: 1000 }, () => "x".repeat(200));
      const parts = await batch(
        shop,
        post("1", "Books", { ID: 9, title: "x", tags }),
        get("2", `Books?$filter=title in (${"$1/tags,".repeat(2000)}'a')`),
        get("3", `Books?$filter=title in (${"$1/tags,".repeat(100_000)}'a')`),
        get("4", "Books?$filter=title eq $1/title&$select=ID"),
      );
      assert.deepEqual(statuses(parts), [201, 414, 414, 200]);
    }, { database }));

  Deno.test(`a condition decides in place of the success of what a request depends on (JSON 19.1, ${engine})`, () =>
    withShop(async (shop) => {
      const create = (id: string, condition: string) =>
        post(id, "Authors", { ID: Number(id) }, { if: condition, dependsOn: ["1", "2"] });
      const parts = await batch(
        shop,
        get("1", "Authors(99)"),
        get("2", "Books(201)?$select=stock,title"),
        create("3", "$1/$succeeded"),
        create("4", "not $1/$succeeded and $2/$succeeded"),
        create("5", "$2/stock gt 10 and $2/title eq 'Wuthering Heights'"),
        create("6", "$2/stock lt 10 or $2/stock in (1,2)"),
        create("7", "$2/nope eq null and $1/title eq null"),
        create("8", "$2/title eq '$2/title'"),
      );
      assert.deepEqual(statuses(parts), [404, 200, 424, 201, 201, 424, 201, 424]);
      const { body } = await shop.send("GET", "Authors?$select=ID&$orderby=ID");
      const ids = (body as { value: { ID: number }[] }).value.map(({ ID }) => ID);
      assert.deepEqual(ids, [4, 5, 7, 101, 150]);
    }, { database }));

  Deno.test(`a group whose member does not meet its condition changes nothing (JSON 19.1, ${engine})`, () =>
    withShop(async (shop) => {
      const group = { atomicityGroup: "g" };
      const parts = await batch(
        shop,
        post("1", "Authors", { ID: 1 }, group),
        post("2", "Authors", { ID: 2 }, { ...group, if: "not $1/$succeeded" }),
        post("3", "Authors", { ID: 3 }, { if: "$g/$succeeded" }),
        post("4", "Authors", { ID: 4 }, { if: "not $g/$succeeded and not $1/$succeeded" }),
      );
      assert.deepEqual(statuses(parts), [424, 424, 424, 201]);
      assert.equal((await shop.send("GET", "Authors/$count?$filter=ID lt 100")).body, "1");
    }, { database }));
}

Deno.test("conditions compare numbers, texts and Booleans with their own kind (JSON 19.1)", () =>
  withShop(async (shop) => {
    const orders: readonly (readonly [left: string, right: string, held: string])[] = [
      ["1", "2", "lt le ne"],
      ["2", "2", "le ge eq"],
      ["2", "1", "gt ge ne"],
      ["'a'", "'b'", "lt le ne"],
      ["'b'", "'b'", "le ge eq"],
      ["'b'", "'a'", "gt ge ne"],
      ["false", "true", "lt le ne"],
      ["true", "true", "le ge eq"],
      ["$1/stock", "12", "le ge eq"],
      ["$1/stock", "-12", "gt ge ne"],
      ["$1/stock", "9007199254740993", "lt le ne"],
      ["$1/title", "'Wuthering Heights'", "le ge eq"],
      ["$1/nothing", "null", "le ge eq"],
      ...["'1'", "true", "null"].map((other) => ["1", other, "ne"] as const),
      ...["true", "null"].map((other) => ["'1'", other, "ne"] as const),
      ["true", "null", "ne"],
    ];
    const operators = ["lt", "le", "gt", "ge", "eq", "ne"];
    for (const [left, right, held] of orders) {
      const requests = operators.map((operator) =>
        get(operator, "Books(201)", { if: `${left} ${operator} ${right}`, dependsOn: ["1"] })
      );
      const [, ...parts] = await batch(shop, get("1", "Books(201)"), ...requests);
      const met = parts.filter(({ status }) => status === 200).map(({ id }) => id);
      assert.deepEqual(met, operators.filter((operator) => held.includes(operator)), `${left} and ${right}`);
    }
  }));

Deno.test("a condition that cannot be evaluated is refused with its offset (JSON 19.1)", () =>
  withShop(async (shop) => {
    const refusal = async (condition: unknown) => {
      const [, part] = await batch(shop, get("1", "Books(201)"), get("2", "Books(201)", { if: condition }));
      return [part!.status, part!.body!.error!.message];
    };
    assert.deepEqual(await refusal("$1/$succeeded andd true"), [
      400,
      '"if": Syntax error at offset 14: found "andd", expected an operator or the end',
    ]);
    assert.deepEqual(await refusal("true and stock gt 1"), [
      400,
      '"if" may refer to preceding requests only (offset 9)',
    ]);
    assert.deepEqual(await refusal("true and $2/$succeeded"), [
      400,
      '"if" refers to "2", which is no preceding request (offset 9)',
    ]);
    assert.deepEqual(await refusal("contains('a','b')"), [
      501,
      'This kind of expression in "if" is not implemented (offset 0)',
    ]);
    const whole = await shop.send("POST", "$batch", { body: { requests: [get("1", "Books", { if: 1 })] } });
    assert.equal(whole.status, 400);
    const same = [get("1", "Books"), get("2", "Books", { atomicityGroup: "1" })];
    assert.equal((await shop.send("POST", "$batch", { body: { requests: same } })).status, 400);
  }));

Deno.test("resources of the service win over requests of the same name (Protocol 11.7.4)", () =>
  withShop(async (shop) => {
    const parts = await batch(shop, get("metadata", "Books(201)"), get("2", "$metadata"), get("3", "$all"));
    assert.deepEqual(parts[1]!.headers["content-type"], "application/xml");
    assert.equal(parts[2]!.status, 200);
  }));

const multipart = (boundary: string, lines: readonly string[]) =>
  [...lines, `--${boundary}--`, ""].join("\r\n");
const part = (id: string | undefined, request: string, headers: readonly string[] = [], body = "") => [
  ...["--b", "Content-Type: application/http", ...(id === undefined ? [] : [`Content-ID: ${id}`]), ""],
  ...[`${request} HTTP/1.1`, "Content-Type: application/json", ...headers, "", body],
];

async function multipartBatch(
  shop: Shop,
  parts: readonly string[][],
  more: Readonly<Record<string, string>> = {},
): Promise<readonly PartBody[]> {
  const type = { "content-type": "multipart/mixed;boundary=b", "accept": "application/json" };
  const body = multipart("b", parts.flat());
  const answer = await shop.send("POST", "$batch", { headers: { ...type, ...more }, body });
  return (answer.body as { responses: readonly PartBody[] }).responses;
}

Deno.test("multipart batches refer to entities, versions and values by Content-ID (Protocol 11.7.7.2, 11.7.7.3)", () =>
  withShop(async (shop) => {
    const responses = await multipartBatch(shop, [
      part("1", "GET Versions(1)"),
      part("2", "PATCH $1", ["If-Match: $1"], '{"name":"a"}'),
      part("3", "GET Versions/$count?$filter=name eq $2/name and ID eq $1/ID"),
    ]);
    assert.deepEqual(responses.map(({ id, status }) => [id, status]), [["1", 200], ["2", 200], ["3", 200]]);
    assert.deepEqual(responses[2]!.body as unknown, "1");
  }));

for (const [engine, database] of Object.entries(ENGINES)) {
  Deno.test(`bodies use values of the answers they depend on (Protocol 11.7.6, ${engine})`, () =>
    withShop(async (shop) => {
      const after = (...dependsOn: string[]) => ({ dependsOn });
      const parts = await batch(
        shop,
        get("1", "Books(251)"),
        post("2", "Authors", { ID: 9, name: "$1/title" }, after("1")),
        post(
          "3",
          "Books",
          { ID: 10, title: "$1/title", stock: "$1/stock", author_ID: "$2/ID" },
          after("1", "2"),
        ),
        post("4", "Books", { ID: 11, title: "$1/title", "author@odata.bind": "$2" }, after("2")),
        get("5", "Books(999)"),
        post("6", "Books", { ID: 12, title: "$5/title" }, after("5")),
        post("7", "Authors", { ID: 13, name: "costs $1/title, or $1 " }, after("1")),
        get("8", "Books(251)/title"),
        patch("9", "Authors(9)", { name: "$8" }, after("8")),
      );
      assert.deepEqual(statuses(parts), [200, 201, 201, 201, 404, 424, 201, 200, 200]);
      const { body } = await shop.send("GET", "Books?$select=ID,title,stock,author_ID&$filter=ID lt 20");
      assert.deepEqual((body as { value: unknown }).value, [
        { ID: 10, title: "The Raven", stock: 333, author_ID: 9 },
        { ID: 11, title: "$1/title", stock: null, author_ID: 9 },
      ]);
      const authors = await shop.send("GET", "Authors?$filter=ID lt 20&$select=name");
      assert.deepEqual((authors.body as { value: unknown }).value, [
        { ID: 9, name: "The Raven" },
        { ID: 13, name: "costs $1/title, or $1 " },
      ]);
    }, { database }));
}

for (const [engine, database] of Object.entries(ENGINES)) {
  Deno.test(`bodies of multipart batches use values of parts with a Content-ID before them (Protocol 11.7.6, ${engine})`, () =>
    withShop(async (shop) => {
      const changes = [
        ...["--b", "Content-Type: multipart/mixed;boundary=c", ""],
        ...part("2", "POST Authors", [], '{"ID":9,"name":"$1/title"}').with(0, "--c"),
        ...part(
          "3",
          "POST Books",
          [],
          '{"ID":10,"title":"$2/name","author_ID":"$2/ID","tags":["é $1/title","$1/title"]}',
        )
          .with(0, "--c"),
        "--c--",
      ];
      const responses = await multipartBatch(shop, [
        part("1", "GET Books(251)"),
        changes,
        part(undefined, "GET Books(201)"),
        part(
          "5",
          "POST Books",
          [],
          '{"ID":11,"title":"x","tags":["$r4/title","$6/title","$nope"],"stock":"$3/stock"}',
        ),
        part("6", "PATCH Authors(9)", ["OData-Version: 4.0"], '{"name":"$1/title"}'),
        part("7", "GET Books?$filter=ID lt 20"),
        part("8", "POST Books", [], '{"ID":12,"title":"y","stock":"$7/$count"}'),
      ]);
      assert.deepEqual(statuses(responses), [200, 201, 201, 200, 201, 200, 200, 201]);
      const { body } = await shop.send(
        "GET",
        "Books?$filter=ID lt 20&$select=ID,title,tags,stock&$expand=author($select=name)",
      );
      const author = { ID: 9, name: "$1/title" };
      assert.deepEqual((body as { value: unknown }).value, [
        { ID: 10, title: "The Raven", tags: ["é $1/title", "The Raven"], stock: null, author },
        { ID: 11, title: "x", tags: ["$r4/title", "$6/title", "$nope"], stock: null, author: null },
        { ID: 12, title: "y", tags: [], stock: 2, author: null },
      ]);
    }, { database }));
}

Deno.test("bodies of a multipart batch of OData 4.0 are taken literally, a failed part fails what uses its values (Protocol 11.7.6)", () =>
  withShop(async (shop) => {
    const parts = [
      part("1", "GET Books(251)"),
      part("2", "POST Authors", [], '{"ID":9,"name":"$1/title"}'),
      part("3", "GET Books(999)"),
      part("4", "POST Authors", [], '{"ID":10,"name":"$3/title"}'),
    ];
    const prefer = { prefer: "continue-on-error" };
    const old = await multipartBatch(shop, parts, { ...prefer, "odata-version": "4.0" });
    assert.deepEqual(statuses(old), [200, 201, 404, 201]);
    assert.equal((old[1]!.body as { name?: string }).name, "$1/title");
    await shop.send("DELETE", "Authors(9)");
    await shop.send("DELETE", "Authors(10)");
    const now = await multipartBatch(shop, parts, { ...prefer, "odata-version": "4.01" });
    assert.deepEqual(statuses(now), [200, 201, 404, 424]);
    assert.equal((now[1]!.body as { name?: string }).name, "The Raven");
  }));

Deno.test("a request that depends on a group uses values of its members, and of no other group (JSON 19.1, Protocol 11.7.6)", () =>
  withShop(async (shop) => {
    const parts = await batch(
      shop,
      post("1", "Authors", { ID: 9, name: "New" }, { atomicityGroup: "g" }),
      post("2", "Books", { ID: 10, title: "$1/name" }, { dependsOn: ["g"] }),
      post("3", "Books", { ID: 11, title: "$1/name" }),
      post("4", "Authors", { ID: 12, name: "Other" }, { atomicityGroup: "h" }),
      post("5", "Books", { ID: 12, title: "$4/name" }, { dependsOn: ["g"] }),
    );
    assert.deepEqual(parts.map(({ body }) => (body as { title?: string }).title), [
      undefined,
      "New",
      "$1/name",
      undefined,
      "$4/name",
    ]);
  }));

Deno.test("members of a group use values of each other (JSON 19.1, Protocol 11.7.6)", () =>
  withShop(async (shop) => {
    const group = (more: object) => ({ atomicityGroup: "g", ...more });
    const parts = await batch(
      shop,
      post("1", "Authors", { ID: 9, name: "New" }, group({})),
      post("2", "Books", { ID: 10, title: "$1/name", author: "$1" }, group({ dependsOn: ["1"] })),
    );
    assert.deepEqual(statuses(parts), [201, 201]);
    const { body } = await shop.send("GET", "Books(10)?$select=title,author_ID");
    const { title, author_ID } = body as Record<string, unknown>;
    assert.deepEqual([title, author_ID], ["New", 9]);
  }));

Deno.test("values of answers do not make bodies longer than they may be (Protocol 11.7.6)", () =>
  withShop(async (shop) => {
    const many = Array.from({ length: 2000 }, () => "$1");
    const parts = await batch(
      shop,
      post("1", "Authors", { ID: 9, name: "x".repeat(90) }),
      post("2", "Books", { ID: 10, title: many }, { dependsOn: ["1"] }),
    );
    assert.deepEqual(statuses(parts), [201, 413]);
  }, { env: { server: { body_parser: { limit: "100kb" } } } }));
