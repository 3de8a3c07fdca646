/** The letters that D1 maps: all that SQLite does not map itself (db/README, case). */

import assert from "node:assert/strict";
import { letterStatements } from "../../src/db/d1/d1_dialect.ts";

Deno.test("D1 is given each letter beyond ASCII that has another case, and no others", () => {
  const statement = letterStatements().find(({ values }) => (values?.length ?? 0) > 0)!;
  const letters = new Map(
    (JSON.parse(String(statement.values![0])) as [string, string, string][])
      .map(([letter, ...cases]) => [letter, cases]),
  );
  assert.deepEqual(letters.get("ä"), ["ä", "Ä"]);
  assert.deepEqual(letters.get("Ä"), ["ä", "Ä"]);
  assert.deepEqual(letters.get("ß"), ["ß", "SS"]);
  assert.deepEqual(letters.get("Ж"), ["ж", "Ж"]);
  for (const other of ["a", "Z", "€", "中", "\u0080"]) assert.equal(letters.has(other), false, other);
  for (const [letter, [lower, upper]] of letters) {
    assert.ok(lower !== letter || upper !== letter, letter);
    assert.deepEqual([lower, upper], [letter.toLowerCase(), letter.toUpperCase()]);
  }
});
