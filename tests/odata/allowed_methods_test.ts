import assert from "node:assert/strict";
import { createRuntime } from "../../mod.ts";
import { compileCdl } from "../../src/model/cdl/compile_cdl.ts";

const TEXT = `
entity Authors { key ID: Integer; name: String(20); photo: LargeBinary @Core.MediaType: 'image/png'; }
entity Pictures { key ID: Integer; bytes: LargeBinary @odata.media @Core.MediaType: 'image/png'; }
@protocol: ['odata', 'rest']
service S {
  entity All as projection on Authors;
  @readonly entity Fixed as projection on Authors;
  @insertonly entity Letters as projection on Authors;
  @Capabilities.Deletable: false entity Kept as projection on Authors;
  entity Guarded as projection on Authors;
  @Capabilities.Deletable: false entity Shown as projection on Pictures;
}
`;
const MODEL = compileCdl(["m.cds"], { readFile: (path) => path === "m.cds" ? TEXT : undefined });
const SET = "GET, POST, PATCH, HEAD, OPTIONS";
const ROW = "GET, PATCH, PUT, DELETE, HEAD, OPTIONS";
const READ = "GET, HEAD, OPTIONS";

/** Path, and what may be done there. */
const RESOURCES: readonly (readonly [path: string, allow: string])[] = [
  ["All", SET],
  ["All(1)", ROW],
  ["Fixed", READ],
  ["Fixed(1)", READ],
  ["Fixed(1)/name", READ],
  ["Fixed(1)/photo", READ],
  ["Letters", "POST, OPTIONS"],
  ["Letters(1)", "OPTIONS"],
  ["Kept(1)", "GET, PATCH, PUT, HEAD, OPTIONS"],
  ["Kept(1)/name", "GET, PUT, DELETE, HEAD, OPTIONS"],
  ["Shown(1)/$value", "GET, PUT, HEAD, OPTIONS"],
];

/** What is refused, the code, and what the answer says is allowed. */
const REFUSED: readonly (readonly [method: string, path: string, code: string, allow: string])[] = [
  ["POST", "odata/v4/s/Fixed", "ENTITY_IS_READ_ONLY", READ],
  ["PATCH", "odata/v4/s/Fixed(1)", "ENTITY_IS_READ_ONLY", READ],
  ["DELETE", "odata/v4/s/Fixed(1)", "ENTITY_IS_READ_ONLY", READ],
  ["GET", "odata/v4/s/Letters", "ENTITY_IS_INSERT_ONLY", "POST, OPTIONS"],
  ["DELETE", "odata/v4/s/Kept(1)", "ENTITY_IS_NOT_CRUD", "GET, PATCH, PUT, HEAD, OPTIONS"],
  ["PATCH", "odata/v4/s/Guarded(1)", "405", "GET, PUT, DELETE, HEAD, OPTIONS"],
  ["POST", "rest/s/Fixed", "ENTITY_IS_READ_ONLY", READ],
];

Deno.test("OPTIONS and 405 name the methods that the entity allows (RFC 9110 10.2.1, 15.5.6)", async () => {
  const runtime = createRuntime({
    model: MODEL,
    data: new Map([["Authors", [{ ID: 1, name: "Emily" }]]]),
    handlers: {
      S: (srv) => {
        srv.before("UPDATE", "Guarded", (req) => req.reject(405));
      },
    },
    env: { log: { levels: { default: "silent" } } },
  });
  const send = (method: string, path: string) => {
    const hasBody = method === "POST" || method === "PATCH";
    const init = hasBody ? { headers: { "content-type": "application/json" }, body: "{}" } : {};
    return runtime.fetch(new Request(`http://localhost/${path}`, { method, ...init }));
  };
  for (const [path, allow] of RESOURCES) {
    const { headers } = await send("OPTIONS", `odata/v4/s/${path}`);
    assert.equal(headers.get("allow"), allow, path);
  }
  for (const [method, path, code, allow] of REFUSED) {
    const response = await send(method, path);
    const { error } = await response.json();
    const found = [response.status, error.code, response.headers.get("allow")];
    assert.deepEqual(found, [405, code, allow], `${method} ${path}`);
  }
  await runtime.close();
});
