import assert from "node:assert/strict";
import { printQuery } from "../../../src/cqn/print_query.ts";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../../src/model/link_model.ts";
import { createPlanner } from "../../../src/odata/plan/planner.ts";
import { PLANNED } from "./planned_urls.ts";
import { CDL } from "./refused_model.ts";

const planner = createPlanner(linkModel(parseCdl(CDL)).service("S")!);
const COLUMNS =
  "ID, title, stock, price, available, at, day, clock, bytes, tags, marks, places, address_city, " +
  "address_zip, author_ID";

/** The query of a plan as CQL, with the values of its parameters. */
function planned(line: string): string {
  const [, method = "GET", url = ""] = /^(?:([A-Z]+) )?(.*)$/.exec(line)!;
  const plan = planner.planUrl(url, method);
  assert.ok("query" in plan, line);
  const { query, queryParams } = plan;
  const text = printQuery(query).replace(
    /:(\w+)/g,
    (all, name) => name in queryParams ? JSON.stringify(queryParams[name]).replaceAll('"', "'") : all,
  );
  return text.replace(COLUMNS, "all").replace(/ limit 1000$/, "");
}

Deno.test("planUrl() makes the queries of URLs that they mean, clause by clause (OData 2 to 5)", () => {
  const found = Object.fromEntries(Object.keys(PLANNED).map((line) => [line, planned(line)]));
  assert.deepEqual(found, PLANNED);
});
