import assert from "node:assert/strict";
import { ENGINES } from "./engines.ts";
import { VALUES } from "./function_values.ts";
import { withLibrary } from "./library.ts";

for (const [engine, database] of Object.entries(ENGINES)) {
  Deno.test(`functions and operators give the same values on ${engine}`, (context) =>
    withLibrary(database, async (library) => {
      for (const [rule, values] of Object.entries(VALUES)) {
        await context.step(rule, async () => {
          for (const [expression, expected] of Object.entries(values)) {
            const compute = encodeURIComponent(`${expression} as x`);
            const { body } = await library.send(
              "GET",
              `Books?$select=x&$filter=ID%20eq%201&$compute=${compute}`,
            );
            const [row] = (body as { value?: { x: unknown }[] }).value ?? [];
            assert.deepEqual(row?.x, expected, `${expression} ${JSON.stringify(body)}`);
          }
        });
      }
    }));
}

for (const [engine, database] of Object.entries(ENGINES)) {
  Deno.test(`patterns that are none, or may take long, are refused although no row is looked at, on ${engine} (URL 5.1.1.5.6)`, () =>
    withLibrary(database, async (library) => {
      const statusOf = async (pattern: string) => {
        const filter = encodeURIComponent(`false and matchesPattern(title,'${pattern}')`);
        return (await library.send("GET", `Books?$filter=${filter}`)).status;
      };
      assert.equal(await statusOf("^a"), 200);
      for (const pattern of ["A-Zä]", "(a+)+$", "x".repeat(300)]) assert.equal(await statusOf(pattern), 400);
      assert.equal(await statusOf("[A-Z]"), 200);
    }));
}

for (const [engine, database] of Object.entries(ENGINES)) {
  Deno.test(`days have no time, and types of enumerations a namespace, on ${engine} (URL 5.1.1.7, ABNF enum)`, () =>
    withLibrary(database, async (library) => {
      const statusOf = async (filter: string) =>
        (await library.send("GET", `Books?$filter=${encodeURIComponent(filter)}`)).status;
      for (const name of ["hour", "minute", "second", "fractionalseconds", "time"]) {
        assert.equal(await statusOf(`-(${name}(published)) eq null`), 400, name);
        assert.equal(await statusOf(`${name}(2024-02-29T10:20:30Z) eq null`), 200, name);
      }
      for (const name of ["year", "month", "day", "date"]) {
        assert.equal(await statusOf(`${name}(published) eq null`), 200, name);
      }
      assert.equal(await statusOf("cast(published,Edm.DateTimeOffset) eq null"), 200);
      assert.equal(await statusOf("cast(days'P1D',Edm.DateTimeOffset) eq null"), 400);
    }));
}
