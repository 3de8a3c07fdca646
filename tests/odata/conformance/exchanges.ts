/** Clauses 13.1.1 (16, 17), 13.1.3 (11, 13, 14), 13.2.1 (3) and 13.2.3 (7): asynchronous requests, batches, changes; 13.1.2 (10). */

import assert from "node:assert/strict";
import { createRuntime } from "../../../mod.ts";
import { denoKinds } from "../../../src/deno/deno_kinds.ts";
import { createCertificate } from "../../../src/test/identity/certificate.ts";
import type { Answer } from "../../reference/reference.ts";
import { LIBRARY, LIBRARY_ROWS } from "../library.ts";
import { change, each, NEWER, OLDER, onReference, product, read, type Send } from "./ask.ts";
import { describeClauses } from "./requirement.ts";

const clause = describeClauses(import.meta.url);

const ASYNC = { prefer: "respond-async" };

/** Starts an asynchronous request; gives the URL of its monitor. */
async function begin(send: Send, [method, url, body]: Parameters<Send>): Promise<string> {
  const { headers } = await change(send, [method, url, body, ASYNC], 202);
  assert.equal(headers.get("preference-applied"), "respond-async");
  assert.match(headers.get("retry-after")!, /^\d+$/);
  return headers.get("location")!.replace(/^\//, "");
}

/** Asks a monitor until there is a result. */
async function result(send: Send, monitor: string, headers: Record<string, string>): Promise<Answer> {
  for (;;) {
    const answer = await send("GET", monitor, undefined, headers);
    if (answer.status !== 202) return answer;
    await new Promise((resolve) => setTimeout(resolve));
  }
}

clause(
  "a client of 4.0 that accepts application/http gets the result as HTTP message [OData 13.1.1.16]",
  onReference(async (send) => {
    const monitor = await begin(send, ["POST", "Products", { Name: "Async", Price: 1 }]);
    const headers = { ...OLDER, accept: "application/http" };
    const answer = await result(send, monitor, headers);
    assert.deepEqual([answer.status, answer.headers.get("content-type")], [200, "application/http"]);
    const [head, body] = String(answer.body).split("\r\n\r\n");
    assert.match(head!, /^HTTP\/1\.1 201 Created\r\n/);
    assert.match(head!, /^location: /im);
    assert.equal(JSON.parse(body!).Name, "Async");
  }),
);

clause(
  "the result says its status in AsyncResult, of successes and of failures [OData 13.1.1.17] [OData 13.2.1.3]",
  onReference(async (send) => {
    const created = await begin(send, ["POST", "Products", { Name: "Async", Price: 1 }]);
    const success = await result(send, created, NEWER);
    assert.deepEqual([success.status, success.headers.get("asyncresult")], [200, "201"]);
    assert.equal(success.body.Name, "Async");
    const failed = await begin(send, ["POST", "Products", { Price: 1 }]);
    const failure = await result(send, failed, NEWER);
    assert.equal(failure.headers.get("asyncresult"), "400");
    assert.equal(typeof failure.body.error.code, "string");
  }),
);

clause(
  "an asynchronous request is accepted, watched by its monitor, done once and cancelled by DELETE [OData 13.1.3.13]",
  onReference(async (send) => {
    const monitor = await begin(send, ["POST", "Process", { percentage: 50 }]);
    assert.equal((await result(send, monitor, NEWER)).headers.get("asyncresult"), "204");
    assert.equal((await read(send, product(3))).Price, 7.75);
    const reading = await begin(send, ["GET", "Products"]);
    await change(send, ["DELETE", reading]);
    assert.equal((await send("GET", reading)).status, 404);
    const batch = await begin(send, ["POST", "$batch", {
      requests: [{ id: "1", method: "GET", url: "Company" }],
    }]);
    const { body } = await result(send, batch, NEWER);
    assert.equal(body.responses[0].body.Name, "TechStore Inc.");
  }),
);

const CRLF = "\r\n";
const MULTIPART = { "content-type": "multipart/mixed;boundary=b" };

function http(method: string, url: string, body?: object): string {
  const head = ["Content-Type: application/http", "Content-Transfer-Encoding: binary"];
  const content = body === undefined ? [] : ["Content-Type: application/json"];
  const text = body === undefined ? "" : JSON.stringify(body);
  return [...head, "", `${method} ${url} HTTP/1.1`, ...content, "", text, ""].join(CRLF);
}

function multipart(boundary: string, ...parts: readonly string[]): string {
  return `${parts.map((part) => `--${boundary}${CRLF}${part}`).join("")}--${boundary}--${CRLF}`;
}

function changeset(...parts: readonly string[]): string {
  const members = parts.map((part, index) => `Content-ID: ${index + 1}${CRLF}${part}`);
  return `Content-Type: multipart/mixed;boundary=c${CRLF}${CRLF}${multipart("c", ...members)}`;
}

const statuses = (body: string) => [...body.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map((match) => match[1]);

clause(
  "a multipart batch answers each part, a change set is one transaction whose members refer to each other [OData 13.1.3.11] [OData 13.2.3.7]",
  onReference(async (send) => {
    const good = multipart(
      "b",
      http("GET", "Company?$select=Name"),
      changeset(
        http("POST", "Products", { Name: "First", Price: 1 }),
        http("POST", "$1/Descriptions", { LanguageKey: "EN", Description: "of the first" }),
        http("PATCH", product(3), { Price: 2 }),
      ),
      http("GET", "Products/$count"),
    );
    const answer = await send("POST", "$batch", good, MULTIPART);
    assert.equal(answer.status, 200);
    assert.match(answer.headers.get("content-type")!, /^multipart\/mixed/);
    assert.deepEqual(statuses(answer.body), ["200", "201", "201", "200", "200"]);
    assert.match(answer.body, /Content-ID: 2/i);
    assert.equal(
      (await read(send, "Products?$filter=Name eq 'First'&$expand=Descriptions")).value[0].Descriptions
        .length,
      1,
    );
    const bad = multipart(
      "b",
      changeset(http("PATCH", product(3), { Price: 99 }), http("POST", "Products", { Price: 1 })),
      http("GET", "Company"),
    );
    const stopped = await send("POST", "$batch", bad, MULTIPART);
    assert.deepEqual(statuses(stopped.body), ["400"]);
    const continued = await send("POST", "$batch", bad, { ...MULTIPART, prefer: "continue-on-error" });
    assert.deepEqual(statuses(continued.body), ["400", "200"]);
    assert.equal((await read(send, product(3))).Price, 2);
  }),
);

clause(
  "a JSON batch knows groups, dependencies, conditions and references; what it reports is in the database [OData 13.1.3.11] [OData 13.2.3.7]",
  onReference(async (send) => {
    const post = (id: string, url: string, body: object, more: object = {}) => ({
      id,
      method: "POST",
      url,
      body,
      ...more,
    });
    const requests = [
      post("1", "Products", { Name: "First", Price: 1 }, { atomicityGroup: "g" }),
      post("2", "$1/Descriptions", { LanguageKey: "EN", Description: "x" }, { atomicityGroup: "g" }),
      { id: "3", method: "GET", url: "$1/Descriptions", dependsOn: ["g"] },
      post("4", "Products", { Name: "Second", Price: 1 }, { if: "$1/Price lt 5", dependsOn: ["1"] }),
      post("5", "Products", { Name: "No", Price: 1 }, { if: "$1/Price gt 5", dependsOn: ["1"] }),
      post("6", "Products", { Name: "No", Price: 1 }, { atomicityGroup: "h" }),
      post("7", "Products", { Price: 1 }, { atomicityGroup: "h" }),
      { id: "8", method: "GET", url: "Company", dependsOn: ["h"] },
      { id: "9", method: "GET", url: "/Company" },
    ];
    const { status, body } = await send("POST", "$batch", { requests });
    assert.equal(status, 200);
    const found = Object.fromEntries(
      body.responses.map((one: { id: string; status: number }) => [one.id, one.status]),
    );
    assert.deepEqual(found, { 1: 201, 2: 201, 3: 200, 4: 201, 5: 424, 6: 424, 7: 400, 8: 424, 9: 200 });
    assert.deepEqual(await each(send, "Products?$filter=Price lt 5&$orderby=Name"), ["First", "Second"]);
  }),
);

clause(
  "a delta link gives what was added, changed and removed since, in the form of either version [OData 13.1.3.14]",
  onReference(async (send) => {
    const url = "Products?$select=Name,Price&$filter=Price lt 300";
    const { headers, body } = await send("GET", url, undefined, { prefer: "odata.track-changes" });
    assert.equal(headers.get("preference-applied"), "odata.track-changes");
    const link = body["@odata.deltaLink"];
    assert.deepEqual((await read(send, link)).value, []);
    const { body: { ID } } = await change(send, ["POST", "Products", { Name: "New", Price: 1 }], 201);
    await change(send, ["PATCH", product(2), { Price: 2 }], 200);
    await change(send, ["PATCH", product(4), { Price: 2000 }], 200);
    await change(send, ["DELETE", product(3)]);
    const older = await read(send, link);
    assert.match(older["@odata.context"], /\/\$delta$/);
    const rows = older.value.filter((row: object) => "Name" in row);
    assert.deepEqual(rows.map((row: Record<string, unknown>) => [row.Name, row.Price]).sort(), [["New", 1], [
      "Wireless Mouse",
      2,
    ]]);
    const gone = older.value.filter((row: Record<string, string>) =>
      /\$deletedEntity$/.test(row["@odata.context"] ?? "")
    );
    assert.deepEqual(gone.map((row: Record<string, string>) => [row.id, row.reason]), [
      [product(3), "deleted"],
      [product(4), "changed"],
    ]);
    const newer = await read(send, link, NEWER);
    assert.equal(newer.value.filter((row: object) => "@removed" in row || "@odata.removed" in row).length, 2);
    assert.ok(ID);
  }),
);

clause(
  "Basic authentication over https: a challenge without, 401 with wrong, data with right credentials [OData 13.1.2.10]",
  async () => {
    const model = structuredClone(LIBRARY) as { definitions: Record<string, Record<string, unknown>> };
    model.definitions.ShopService!["@requires"] = "authenticated-user";
    const runtime = createRuntime({
      model: model as typeof LIBRARY,
      data: LIBRARY_ROWS,
      kinds: denoKinds,
      env: {
        log: { levels: { default: "silent" } },
        requires: { auth: { kind: "basic", users: { ann: { password: "s3cret" } } } },
      },
    });
    await runtime.start();
    const own = await createCertificate({ subject: "CN=localhost", names: ["localhost"] });
    const tls = { cert: own.pem, key: own.key };
    const server = Deno.serve({ port: 0, hostname: "localhost", onListen: () => {}, ...tls }, runtime.fetch);
    const client = Deno.createHttpClient({ caCerts: [own.pem] });
    try {
      const ask = async (credentials?: string) => {
        const headers: HeadersInit = credentials === undefined
          ? {}
          : { authorization: `Basic ${btoa(credentials)}` };
        const url = `https://localhost:${server.addr.port}/odata/v4/shop/Books/$count`;
        const response = await fetch(url, { headers, client });
        return [
          response.status,
          response.status === 200
            ? await response.text()
            : (await response.body?.cancel(), response.headers.get("www-authenticate")?.split(" ")[0]),
        ];
      };
      assert.deepEqual(await ask(), [401, "Basic"]);
      assert.deepEqual(await ask("ann:wrong"), [401, "Basic"]);
      assert.deepEqual(await ask("ann:s3cret"), [200, "4"]);
    } finally {
      client.close();
      await server.shutdown();
      await runtime.close();
    }
  },
);
