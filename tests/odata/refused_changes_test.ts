import assert from "node:assert/strict";
import { createRuntime, type Csn } from "../../mod.ts";
import { denoKinds } from "../../src/deno/mod.ts";

const OWN = [{
  grant: ["READ", "UPDATE", "DELETE"],
  to: "authenticated-user",
  where: "region = $user.region",
}];
const books = { kind: "entity", projection: { from: { ref: ["my.Books"] } }, "@restrict": OWN };
const MODEL = {
  definitions: {
    "my.Books": {
      kind: "entity",
      elements: {
        ID: { key: true, type: "cds.Integer" },
        title: { type: "cds.String", length: 10, notNull: true },
        region: { type: "cds.String" },
        version: { type: "cds.Integer", "@odata.etag": true },
      },
    },
    S: { kind: "service", "@requires": "authenticated-user" },
    "S.Books": books,
    "S.Handled": books,
  },
} as unknown as Csn;
const ROWS = [[1, "EU"], [2, "US"]].map(([ID, region]) => ({ ID, title: "Old", region, version: 1 }));

/** Changes of the own row 1, of the hidden row 2, and of row 3, which is not there. */
const CASES:
  readonly (readonly [status: number, method: string, key: number, body?: unknown, match?: string])[] = [
    [200, "PATCH", 1, { title: "New" }],
    [403, "PATCH", 1, { region: "US" }],
    [400, "PATCH", 1, { title: "A title too long" }],
    [412, "PATCH", 1, { title: "New" }, 'W/"7"'],
    [403, "PATCH", 2, { title: "New" }],
    [403, "PATCH", 2, { region: "EU" }],
    [403, "PATCH", 2, { title: "A title too long" }],
    [403, "PATCH", 2, { title: null }],
    [403, "PATCH", 2, {}],
    [403, "PATCH", 2, { title: "New" }, 'W/"7"'],
    [412, "PATCH", 3, { title: "New" }],
    [403, "DELETE", 2],
    [412, "DELETE", 3],
    [204, "DELETE", 1],
  ];

for (const kind of ["sqlite", "memory"]) {
  for (const set of ["Books", "Handled"]) {
    Deno.test(`changes of rows outside of the own area are 403 whatever else is wrong, with and without handlers (${set}, ${kind}, auth 7)`, async () => {
      const runtime = createRuntime({
        model: MODEL,
        kinds: denoKinds,
        data: new Map([["my.Books", ROWS]]),
        env: {
          requires: {
            db: { kind },
            auth: { kind: "basic", users: { alice: { password: "a", attr: { region: "EU" } } } },
          },
          log: { levels: { default: "silent" } },
        },
        handlers: { S: (srv) => srv.before("*", "Handled", () => {}) },
      });
      try {
        await runtime.start();
        for (const [status, method, key, body, match = "*"] of CASES) {
          const response = await runtime.fetch(
            new Request(`http://localhost/odata/v4/s/${set}(${key})`, {
              method,
              headers: {
                authorization: `Basic ${btoa("alice:a")}`,
                "content-type": "application/json",
                "if-match": match,
              },
              body: body === undefined ? null : JSON.stringify(body),
            }),
          );
          const text = await response.text();
          assert.equal(response.status, status, `${method} ${key} ${JSON.stringify(body)}: ${text}`);
        }
        const left = await runtime.db!.run({ SELECT: { from: { ref: ["my.Books"] } } });
        assert.deepEqual(left, [ROWS[1]]);
      } finally {
        await runtime.close();
      }
    });
  }
}
