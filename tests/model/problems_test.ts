import assert from "node:assert/strict";
import { ConfigurationError } from "../../src/errors/configuration_error.ts";
import { Problems } from "../../src/model/problems.ts";

/** The mistakes that an error tells of. */
function noted(note: (problems: Problems) => void): readonly string[] {
  const problems = new Problems();
  note(problems);
  try {
    problems.throwIfAny();
  } catch (error) {
    assert.ok(error instanceof ConfigurationError);
    return [error, ...error.others].map(({ text }) => text);
  }
  return [];
}

Deno.test("mistakes are told once for each place, and by their texts where they have none", () => {
  assert.deepEqual(noted(() => {}), []);
  const at = (line: number) => ({ file: "a.cds", line, col: 1 });
  const placed = noted((problems) => {
    for (const [text, line] of [["one", 1], ["same place", 1], ["two", 2]] as const) {
      problems.add(text, at(line));
    }
  });
  assert.deepEqual(placed, ["one", "two"]);
  const unplaced = noted((problems) => {
    for (const text of ["one", "two", "one"]) problems.catch(new ConfigurationError(text));
  });
  assert.deepEqual(unplaced, ["one", "two"]);
  const other = new TypeError("other");
  assert.throws(() => noted((problems) => problems.catch(other)), other);
});
