/** Mistakes as a person at the terminal reads them. */

import assert from "node:assert/strict";
import { describeFailure, printWarning, printWarnings } from "../../src/cli/describe_mistakes.ts";
import { shownError } from "../../src/cli/terminal_text.ts";
import { ConfigurationError } from "../../src/errors/configuration_error.ts";
import { ServiceError } from "../../src/errors/service_error.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { printedBy, withProject } from "../deno/project.ts";

const LONG = `${"x".repeat(200)} here ${"y".repeat(200)}`;
const SOURCE = `entity A {\r\n\tkey ID : Strin;\n  ![odd name] : 'a b' ;\n${LONG}\n`;

Deno.test("a mistake is shown with its line, and a caret below what is meant", () =>
  withProject({ "a.cds": SOURCE }, (folder) => {
    const file = `${folder}/a.cds`;
    const shown = (line?: number, column?: number) =>
      describeFailure(new ConfigurationError("Wrong", { file, line, column }))!.replaceAll(file, "a.cds")
        .split("\n");
    assert.deepEqual(shown(), ["a.cds: Wrong"]);
    assert.deepEqual(shown(1), ["a.cds:1: Wrong"]);
    assert.deepEqual(shown(1, 1), ["a.cds:1:1: Wrong", "  1 | entity A {", "    | ^^^^^^"]);
    assert.deepEqual(shown(1, 8), ["a.cds:1:8: Wrong", "  1 | entity A {", "    |        ^"]);
    assert.deepEqual(shown(2, 11), [
      "a.cds:2:11: Wrong",
      "  2 | \tkey ID : Strin;",
      "    | \t         ^^^^^",
    ]);
    assert.equal(shown(3, 3)[2], "    |   ^^^^^^^^^^^");
    assert.equal(shown(3, 17)[2], "    |                 ^^^^^");
    assert.equal(shown(3, 99)[2].trim(), "|                        ^", "behind the end");
    assert.deepEqual(shown(4, 207), [
      "a.cds:4:207: Wrong",
      `  4 | ${LONG.slice(127, 287)}`,
      `    | ${" ".repeat(79)}${"^".repeat(81)}`,
    ]);
    assert.equal(shown(4, 160)[1], `  4 | ${LONG.slice(0, 160)}`);
    assert.equal(shown(4, 161)[1], `  4 | ${LONG.slice(81, 241)}`);
    assert.deepEqual(shown(9, 1), ["a.cds:9:1: Wrong"], "no such line");
    assert.equal(describeFailure(new ConfigurationError("Wrong")), "Wrong");
    assert.equal(describeFailure(new ConfigurationError("Wrong", { line: 1, column: 2 })), "1:2: Wrong");
    assert.equal(
      describeFailure(new ConfigurationError("Wrong", { file: "none.cds", line: 1, column: 1 })),
      "none.cds:1:1: Wrong",
    );
    return Promise.resolve();
  }));

Deno.test("databases that say no are told by their reasons, all else by its stack", () => {
  const database = (code: unknown, name = "PostgresError") =>
    describeFailure(Object.assign(new Error("No"), { name, code }));
  for (const code of ["28P01", "3D000", "42501", "53300", "57P03"]) assert.equal(database(code), "No", code);
  for (const code of ["42601", "23505", "13D00", undefined, 28]) assert.equal(database(code), undefined);
  assert.equal(database("28P01", "Error"), undefined);
  const cause = new Error("Refused");
  assert.equal(describeFailure(new ServiceError({ status: 503, message: "Gone", cause })), "Gone: Refused");
  assert.equal(describeFailure(new ServiceError({ status: 500, message: "Broken" })), undefined);
  const caused = (message: string, cause: Error) =>
    describeFailure(Object.assign(new Error(message, { cause }), { name: "PostgresError", code: "28000" }));
  assert.equal(caused("No", new Error("Why")), "No: Why");
  assert.equal(caused("Why", new Error("Why")), "Why");
  assert.equal(caused("", new Error("Why")), "Why");
  assert.equal(caused("No", new Error("", { cause: new Error("Deep") })), "No: Deep");
  for (const one of ["text", undefined, new Error("odd")]) assert.equal(describeFailure(one), undefined);
});

Deno.test("warnings have their place, and errors their frames and causes", async () => {
  const { output } = await printedBy(() => {
    printWarning("Look");
    printWarning("Look", { file: "none.cds", line: 2, col: 3 });
    return Promise.resolve(0);
  });
  assert.equal(output, "Warning: Look\nWarning: none.cds:2:3: Look\n");
  assert.deepEqual([shownError("text"), shownError(7)], ["text", "7"]);
  const bare = Object.assign(new Error("odd"), { stack: undefined });
  assert.equal(shownError(bare), "Error: odd");
  const shown = shownError(new Error("outer", { cause: new Error("inner") })).split("\n");
  assert.match(shown[0], /describe_mistakes_test\.ts:\d+:\d+: Error: outer$/);
  assert.ok(shown.some((line) => /^ {2}caused by: (?:.*: )?Error: inner$/.test(line)), shown.join("\n"));
});

Deno.test("what a sound model hardly means is told with its place, one remark a line", async () => {
  const told = async (model: string) => {
    const { output } = await printedBy(() => {
      printWarnings(parseCdl(model, "none.cds"));
      return Promise.resolve(0);
    });
    return output;
  };
  assert.match(
    await told("service S { @odata.draft.enable entity A { key ID : Integer; } }"),
    /^Warning: none\.cds:1:\d+: .*@odata\.draft\.enable\b.*\n$/,
  );
  assert.equal(await told("service S { entity A { key ID : Integer; } }"), "");
});
