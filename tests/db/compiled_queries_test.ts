import assert from "node:assert/strict";
import { CompiledQueries } from "../../src/db/read/compiled_queries.ts";
import type { QueryParams, SelectQuery } from "../../src/cqn/cqn.ts";

/** Ten numbers, whole or not by the bits of a number. */
function numbers(bits: number): QueryParams {
  return Object.fromEntries(
    Array.from({ length: 10 }, (_, at) => [`p${at}`, (bits >> at) % 2 === 0 ? 1 : 1.5]),
  );
}

Deno.test("a template is kept compiled in a bounded number of ways, whatever numbers clients send", () => {
  let compiled = 0;
  const queries = new CompiledQueries(() => ++compiled);
  const query: SelectQuery = Object.freeze({ SELECT: { from: { ref: ["Books"] } } });
  const get = (bits: number) => queries.get(query, { localized: false, params: numbers(bits) });
  assert.equal(get(0), get(0));
  for (let bits = 0; bits < 1000; bits++) get(bits);
  assert.equal(compiled, 1000);
  // the ways used last are known still, and the first is not
  get(999);
  assert.equal(compiled, 1000);
  get(0);
  assert.equal(compiled, 1001);
});
