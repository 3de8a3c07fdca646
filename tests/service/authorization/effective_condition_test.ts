/** Conditions as they hold for a user: what a missing attribute decides (auth 7). */

import assert from "node:assert/strict";
import { User } from "../../../src/context/user.ts";
import { effectiveCondition, isMissing } from "../../../src/service/authorization/effective_condition.ts";
import { condition, conditionText } from "./conditions.ts";

const attr = { region: "EU", none: null, empty: [], zero: 0, text: "", list: ["a"] };
const USER = new User({ id: "ann", attr });

/** Conditions, and what they are for a user with some attributes. */
const CONDITIONS: readonly (readonly [given: string, expected: string])[] = [
  ["region = $user.region", "region = $user.region"],
  ["region = $user.lacks", "1 = 0"],
  ["region = $user.none", "1 = 0"],
  ["region in $user.empty", "1 = 0"],
  ["region in $user.list", "region in $user.list"],
  ["region = $user.zero or region = $user.text", "region = $user.zero or region = $user.text"],
  // what is no attribute
  [
    "owner = $user and a = $user.id and b = $user.tenant",
    "owner = $user and a = $user.id and b = $user.tenant",
  ],
  ["locale = $user.locale and at < $now", "locale = $user.locale and at < $now"],
  // only the predicate with the attribute is not true
  ["a = 1 or b = $user.lacks", "a = 1 or 1 = 0"],
  ["a = 1 and (b = $user.lacks or c = 2)", "a = 1 and (1 = 0 or c = 2)"],
  ["upper(region) = upper($user.lacks)", "1 = 0"],
  ["price between 1 and $user.lacks", "1 = 0"],
  // negated it is not true either
  ["not region = $user.lacks", "not (1 = 1)"],
  ["not (a = 1 or region = $user.lacks)", "not (a = 1 or 1 = 1)"],
  ["not (not region = $user.lacks)", "not (not (1 = 0))"],
  // tests for null see whether it is there
  ["$user.lacks is null", "1 = 1"],
  ["$user.lacks is not null", "1 = 0"],
  ["$user.lacks = null or $user.lacks != null", "1 = 1 or 1 = 0"],
  ["$user.region is null", "1 = 0"],
  ["$user.region is not null", "1 = 1"],
  ["$user.lacks > null", "1 = 0"],
  ["region is null", "region is null"],
  // below paths
  ["exists members[user = $user.lacks]", "exists members[1 = 0]"],
  ["not exists members[user = $user.lacks]", "not exists members[1 = 1]"],
  ["exists members[user = $user].team[lead = $user.lacks]", "exists members[user = $user].team[1 = 0]"],
  ["ID in (select ID from Books where region = $user.lacks)", "1 = 0"],
];

Deno.test("a predicate with an attribute that the user lacks is never true, and tests for null see that", () => {
  for (const [given, expected] of CONDITIONS) {
    const found = conditionText(effectiveCondition(condition(given), USER));
    assert.equal(found, expected, given);
  }
});

Deno.test("an attribute is missing where it has no value", () => {
  const names = ["lacks", "none", "empty", "toString", "zero", "text", "list"];
  assert.deepEqual(names.map((name) => isMissing(USER, name)), [true, true, true, true, false, false, false]);
});
