import assert from "node:assert/strict";
import { PartHeaders } from "../../src/odata/batch/part_exchanges.ts";

Deno.test("parts of a batch have the login and the certificate of the batch, whatever they say (Protocol 11.7.5)", () => {
  const own = new Headers({ "authorization": "Basic x", "x-client-cert": "forged", "x-own": "1" });
  const outer = new Headers({ "x-client-cert": "real", "x-outer": "2", "content-type": "application/json" });
  const headers = new PartHeaders(own, outer, "x-client-cert");
  const names = ["authorization", "x-client-cert", "X-Own", "x-outer", "content-type"];
  assert.deepEqual(names.map((name) => headers.get(name)), [null, "real", "1", "2", null]);
  assert.deepEqual([...headers].toSorted(), [["x-client-cert", "real"], ["x-outer", "2"], ["x-own", "1"]]);
});
