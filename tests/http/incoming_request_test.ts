import assert from "node:assert/strict";
import { ConfigurationError } from "../../src/errors/configuration_error.ts";
import { Middlewares } from "../../src/http/middlewares.ts";
import { IncomingRequest } from "../../src/service/wire/wire_request.ts";
import { createShop } from "./fixture.ts";

const URL = "http://localhost/odata/v4/open/Books(201)";

function post(body: string): Request {
  const headers = new Headers({ Accept: "application/json", "Content-Type": "text/plain" });
  headers.append("accept", "text/html");
  return new Request(URL, { method: "POST", headers, body });
}

Deno.test("IncomingRequest shows what the web request does: headers by name in lower case, several as one", async () => {
  const web = post("Emma");
  const request = new IncomingRequest(web);
  assert.deepEqual([request.method, request.url, request.web], ["POST", URL, web]);
  assert.equal(request.headers.get("accept"), "application/json, text/html");
  assert.equal(request.headers.get("prefer"), null);
  assert.deepEqual([...request.headers], [...web.headers]);
  assert.equal(new TextDecoder().decode(await request.bytes()), "Emma");
});

Deno.test("IncomingRequest reads all of a body where a request inherits a bytes() that fails, as with @hono/node-server", async () => {
  const real = post("Emma");
  const looks = Object.setPrototypeOf({
    url: real.url,
    method: real.method,
    headers: real.headers,
    arrayBuffer: () => real.arrayBuffer(),
  }, Request.prototype);
  const web: Request = Object.create(looks);
  await assert.rejects(async () => await web.bytes(), TypeError);
  assert.deepEqual(await new IncomingRequest(web).bytes(), new TextEncoder().encode("Emma"));
});

Deno.test("services see the headers that middleware has changed", async () => {
  const shop = createShop();
  for (const before of [{ before: "auth" }, { after: "auth" }] as const) {
    shop.middlewares.add((req, _res, next) => {
      req.headers.set("accept", `${req.headers.get("accept")};odata.metadata=none`);
      next();
    }, before);
    const response = await shop.fetch(new Request(URL, { headers: { accept: "application/json" } }));
    assert.equal(JSON.parse(await response.text())["@odata.context"], undefined);
    shop.middlewares.before = ["context", "auth", "model"];
  }
  await shop.close();
});

Deno.test("the list of steps may begin with auth, and must hold it", () => {
  const middlewares = new Middlewares();
  middlewares.before = ["auth", "model"];
  assert.deepEqual(middlewares.before, ["auth", "model"]);
  assert.throws(() => middlewares.before = ["context", "model"], ConfigurationError);
});
