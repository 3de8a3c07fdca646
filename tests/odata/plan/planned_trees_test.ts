import assert from "node:assert/strict";
import fc from "fast-check";
import { fromQuery } from "../../../src/algebra/from_cqn.ts";
import type { SelectQuery } from "../../../src/cqn/cqn.ts";
import { isServiceError } from "../../../src/errors/service_error.ts";
import { linkModel } from "../../../src/model/link_model.ts";
import type { Plan } from "../../../src/odata/plan/plan.ts";
import { createPlanner } from "../../../src/odata/plan/planner.ts";
import { propertyRuns } from "../../property_runs.ts";
import { LIBRARY } from "../library.ts";
import { applyUrls } from "../random_apply_urls.ts";
import { soundUrls } from "../random_library_urls.ts";
import { wildUrls } from "../random_wild_urls.ts";

const PLANNER = createPlanner(linkModel(LIBRARY).service("ShopService")!);
const URLS = fc.oneof({ weight: 3, arbitrary: soundUrls }, { weight: 3, arbitrary: applyUrls }, wildUrls);

Deno.test("the tree that a URL is planned as is the one that its CQN says: handlers see what the database runs", () => {
  let compared = 0;
  const property = fc.property(URLS, (url) => {
    for (const query of queriesOf(planned(url))) {
      assert.deepEqual(plain(fromQuery(structuredClone(query))), plain(fromQuery(query)), url);
      compared++;
    }
  });
  fc.assert(property, propertyRuns(500, 51));
  assert.ok(compared > 300, `${compared} queries`);
});

function planned(url: string): Plan | undefined {
  try {
    return PLANNER.planUrl(url);
  } catch (error) {
    assert.ok(isServiceError(error), String(error));
    return undefined;
  }
}

/** All queries that a plan reads by. */
function queriesOf(node: unknown): readonly SelectQuery[] {
  if (typeof node !== "object" || node === null) return [];
  if (Array.isArray(node)) return node.flatMap(queriesOf);
  const { query, applied, before, sets, operation } = node as Readonly<Record<string, unknown>>;
  const own = query === undefined ? [] : [query as SelectQuery];
  return [
    ...own,
    ...[applied, before, sets, operation].flatMap((part) => queriesOf(part)),
    ...stepQueries(node),
  ];
}

function stepQueries(node: object): readonly SelectQuery[] {
  const { parts, groups, calls, rows, hierarchies, nodes, start, members, result } = node as Readonly<
    Record<string, unknown>
  >;
  const steps = [nodes, start, members].filter((one) => one !== undefined) as SelectQuery[];
  return [...steps, ...[parts, groups, calls, rows, hierarchies, result].flatMap((part) => queriesOf(part))];
}

/** Without members that are undefined. */
function plain(node: unknown): unknown {
  return JSON.parse(JSON.stringify(node, (_, value) => typeof value === "bigint" ? `${value}n` : value));
}
