import assert from "node:assert/strict";
import { createRuntime } from "../../mod.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { createRestAdapter } from "../../src/rest/rest_adapter.ts";
import { withShop } from "./with_shop.ts";

/** A multipart batch of one change set: method, URL, body and id of each request. */
function changeSet(requests: readonly (readonly [string, string, unknown, string])[]): string {
  const parts = requests.map(([method, url, body, id]) =>
    [
      "--c",
      "Content-Type: application/http",
      "Content-Transfer-Encoding: binary",
      `Content-ID: ${id}`,
      "",
      `${method} ${url} HTTP/1.1`,
      "Content-Type: application/json",
      "",
      JSON.stringify(body),
      "",
    ].join("\r\n")
  );
  return ["--b", "Content-Type: multipart/mixed;boundary=c", "", ...parts, "--c--", "--b--", ""].join("\r\n");
}

const MULTIPART = { "content-type": "multipart/mixed;boundary=b" };
const GOOD = { ID: 8, title: "Good" };
const BAD = { ID: 9, title: "", stock: "many" };

function errorIn(answer: { body: unknown }) {
  return JSON.parse(/\{"error".*\}/.exec(String(answer.body))![0]).error;
}

Deno.test("an error of a change set and each of its details name the request [OData 11.7.7.2]", () =>
  withShop(async (shop) => {
    const body = changeSet([["POST", "Books", GOOD, "one"], ["POST", "Books", BAD, "two"]]);
    const answer = await shop.send("POST", "$batch", { headers: MULTIPART, body });
    const error = errorIn(answer);
    assert.equal(error.code, "MULTIPLE_ERRORS");
    assert.equal(error["@Core.ContentID"], "two");
    assert.deepEqual(
      error.details.map((detail: Record<string, unknown>) => [detail.target, detail["@Core.ContentID"]]),
      [["title", "two"], ["stock", "two"]],
    );
    assert.match(String(answer.body), /content-language: en\r\n/);
  }));

Deno.test("errors of an atomicity group and their details name their request", () =>
  withShop(async (shop) => {
    const post = (id: string, body: unknown) => ({
      id,
      atomicityGroup: "g",
      method: "POST",
      url: "Books",
      body,
    });
    const requests = [post("one", GOOD), post("two", BAD), { id: "three", method: "GET", url: "Books(9)" }];
    const { body } = await shop.send("POST", "$batch", { body: { requests } });
    // deno-lint-ignore no-explicit-any
    const [one, two, three] = (body as any).responses;
    assert.equal(one.status, 424);
    assert.equal(one.body.error["@Core.ContentID"], "one");
    assert.equal(two.body.error["@Core.ContentID"], "two");
    for (const detail of two.body.error.details) assert.equal(detail["@Core.ContentID"], "two");
    assert.equal(three.body.error["@Core.ContentID"], undefined);
    for (const { headers } of [one, two, three]) assert.equal(headers["content-language"], "en");
  }));

Deno.test("Content-Language of an error is the language of its message, of batch parts and REST, too [OData 9.4]", async () => {
  const german = { headers: { "accept-language": "de-AT" } };
  const body = { ID: 9, title: "" };
  await withShop(async (shop) => {
    const answer = await shop.send("POST", "Books", { ...german, body });
    assert.equal(answer.headers["content-language"], "de");
    // a phrase of a status is not translated
    assert.equal((await shop.send("GET", "Books(9)", german)).headers["content-language"], "en");
    const requests = [{ id: "1", method: "POST", url: "Books", body }];
    const batch = await shop.send("POST", "$batch", { ...german, body: { requests } });
    // deno-lint-ignore no-explicit-any
    assert.equal((batch.body as any).responses[0].headers["content-language"], "de");
    assert.equal((await shop.send("GET", "Books")).headers["content-language"], undefined);
  });
  await withShop(async (shop) => {
    const answer = await shop.send("POST", "Books", { ...german, body });
    assert.equal(answer.headers["content-language"], "de");
  }, { protocol: createRestAdapter });
});

Deno.test("Content-Language of texts of the project is that of their file, of texts in code the default language", async () => {
  const runtime = createRuntime({
    model: parseCdl(
      `service S { action fail(code : String, text : String); @requires: 'x' action closed(); }`,
    ),
    texts: new Map([
      ["", new Map([["OWN", "Rien ne va plus"], ["OTHER", "Autre"]])],
      ["en_GB", new Map([["OWN", "No more bets"]])],
    ]),
    handlers: {
      S: (srv) =>
        void srv.on("fail", (req) => {
          const { code, text } = req.data as { code: string; text: string };
          return req.reject({ status: 409, code, message: text });
        }),
    },
    env: { requires: { db: false }, i18n: { default_language: "fr" } },
  });
  try {
    const languageOf = async (body: unknown, language: string) => {
      const response = await runtime.fetch(
        new Request("http://localhost/odata/v4/s/fail", {
          method: "POST",
          headers: { "content-type": "application/json", "accept-language": language },
          body: JSON.stringify(body),
        }),
      );
      await response.body?.cancel();
      return [response.status, response.headers.get("content-language")];
    };
    assert.deepEqual(await languageOf({ code: "OWN" }, "en-GB"), [409, "en-GB"]);
    assert.deepEqual(await languageOf({ code: "OTHER" }, "en-GB"), [409, "fr"]);
    assert.deepEqual(await languageOf({ text: "Du code" }, "de"), [409, "fr"]);
    const refused = await runtime.fetch(new Request("http://localhost/odata/v4/nothing"));
    await refused.body?.cancel();
    assert.deepEqual([refused.status, refused.headers.get("content-language")], [404, "en"]);
  } finally {
    await runtime.close();
  }
});

Deno.test("a JSON batch without requests is answered without responses [JSON Format 19.1]", () =>
  withShop(async (shop) => {
    const answer = await shop.send("POST", "$batch", { body: { requests: [] } });
    assert.deepEqual(answer, {
      status: 200,
      headers: { "content-type": "application/json", "odata-version": "4.0" },
      body: { responses: [] },
    });
    const empty = { headers: MULTIPART, body: "--b--\r\n" };
    assert.equal((await shop.send("POST", "$batch", empty)).status, 400);
  }));

Deno.test("$search with nothing to search for finds all rows, nested and in REST, too", async () => {
  const count = async (body: unknown) => await Promise.resolve((body as { value: unknown[] }).value.length);
  await withShop(async (shop) => {
    for (const query of ["$search=", "search=", "$search=%20", "$search=&$top=9"]) {
      const { status, body } = await shop.send("GET", `Books?${query}`);
      assert.deepEqual([status, await count(body)], [200, 3], query);
    }
    for (const nested of ["$search=", "$search=;$select=title"]) {
      const { body } = await shop.send("GET", `Authors(150)?$expand=books(${nested})`);
      assert.equal((body as { books: unknown[] }).books.length, 2, nested);
    }
    assert.equal((await shop.send("GET", "Books/$count?$search=")).body, "3");
    assert.equal((await shop.send("GET", "Books?$search=&$search=x")).status, 400);
  });
  await withShop(async (shop) => {
    assert.equal(((await shop.send("GET", "Books?$search=")).body as unknown[]).length, 3);
  }, { protocol: createRestAdapter });
});

Deno.test("a key with an unclosed quote is 400, other broken keys are 404", () =>
  withShop(async (shop) => {
    const statusOf = async (url: string) => (await shop.send("GET", url)).status;
    for (
      const url of ["Books(ID='abc", "Books('abc", "Books('abc)", "Books(201)/author(ID='x", "Books('a''"]
    ) {
      assert.equal(await statusOf(url), 400, url);
    }
    for (const url of ["Books(201", "Books(ID=201", "Books('9')"]) {
      assert.equal(await statusOf(url), 404, url);
    }
  }));
