import assert from "node:assert/strict";
import { readEquivalents, staleEntries } from "../../scripts/mutate/equivalents.ts";
import { findMutants, type Mutant } from "../../scripts/mutate/find_mutants.ts";
import { nearTests } from "../../scripts/mutate/near_tests.ts";
import { withSwitches } from "../../scripts/mutate/switches.ts";

function changesOf(text: string): string[] {
  return findMutants("src/x.ts", text).map(({ start, end, replacement }) =>
    text.slice(0, start) + replacement + text.slice(end)
  );
}

Deno.test("deno task mutate changes one operator, boundary, condition, constant or returned value at a time", () => {
  assert.deepEqual(changesOf("f(a === b)"), [";", "f(((a) !== (b)))"]);
  assert.deepEqual(changesOf("const x = a < 3;"), ["const x = ((a) <= (3));", "const x = a < 4;"]);
  assert.deepEqual(changesOf("const x = a ?? b ?? c;"), [
    "const x = ((a ?? b) && (c));",
    "const x = ((a) && (b)) ?? c;",
  ]);
  assert.deepEqual(changesOf("if (a) b = 1;"), ["if (!(a)) b = 1;", "if (a) ;", "if (a) b = 2;"]);
  assert.deepEqual(changesOf("const y = a ? b : c;"), ["const y = !(a) ? b : c;"]);
  assert.deepEqual(changesOf("function f() { return true; }"), ["function f() { return false; }"]);
  assert.deepEqual(changesOf("async function f() { const x = await g; }"), [
    "async function f() { const x = (g); }",
  ]);
});

Deno.test("deno task mutate keeps an await before what is returned where nothing waits for the end of it", () => {
  const awaits = (text: string) => changesOf(text).filter((changed) => changed.includes("(g)"));
  for (const text of ["const f = async () => await g;", "async function f() { if (a) return await g; }"]) {
    assert.deepEqual(awaits(text), [], text);
  }
  for (const before of ["try { BODY } catch {}", "{ using x = y; BODY }", "{ await using x = y; BODY }"]) {
    const body = before.replace("BODY", "return await g;");
    assert.ok(
      changesOf(`async function f() { ${body} }`).some((text) => text.includes("return (g)")),
      before,
    );
  }
});

Deno.test("deno task mutate knows which changes take place while a module loads", () => {
  const isOfLoad = (text: string) => findMutants("src/x.ts", text).map((mutant) => mutant.isOfLoad);
  for (const text of ["const x = 3;", "class A { static b = 3; static { c = 3 } }", "const x = { y: 3 };"]) {
    assert.ok(isOfLoad(text).every(Boolean), text);
  }
  const later = [
    "const f = () => 3;",
    "function f(a = 3) {}",
    "class A { b = 3; #c() { return [3]; } }",
    "const x = { get y() { return [3]; } };",
  ];
  for (const text of later) assert.ok(!isOfLoad(text).some(Boolean), text);
});

Deno.test("deno task mutate leaves types, imports, names, logs and thrown messages alone", () => {
  const texts = [
    "const { 0: x, 1: y } = z;",
    "const x = { 0: y };",
    "type A = 1 | 2;",
    "interface B { a: 3 }",
    'import { x } from "./y.ts";',
    'throw new RangeError("at most", 4 < 5);',
    'log.warn("x", a === b);',
    "this.#log.error(a > 1);",
    'this.#host.log("x").info("y", a > 1);',
    'console.error("3");',
  ];
  for (const text of texts) assert.deepEqual(changesOf(text), [], text);
});

/** What a function body returns with one switch on, and with the text of that change written into it instead. */
function outcomesOf(body: string, mutants: readonly Mutant[], on: number): readonly [unknown, unknown] {
  const switched = withSwitches(body, mutants.map((mutant, i) => ({ id: i + 1, mutant })));
  const { start, end, replacement } = mutants[on - 1] ?? { start: 0, end: 0, replacement: "" };
  Object.assign(globalThis, { $m: (id: number) => id === on });
  try {
    return [switched, body.slice(0, start) + replacement + body.slice(end)].map((text) => {
      const { found } = new Function("found", `${text}\nreturn { found };`)([]);
      return found;
    }) as [unknown, unknown];
  } finally {
    Reflect.deleteProperty(globalThis, "$m");
  }
}

Deno.test("deno task mutate puts all changes behind switches, each of which does what the change does", () => {
  const body = `const [a, b, c] = [1, undefined, 3];
if (a > 0) found.push(a ?? b);
else found.push("none");
const chosen = a === 1 && // why
  (b === undefined || c < 4) ? [c, \`\${a - 1}\`].map((x) => {
    if (x === 3) return true;
    return [x];
  }) : 5;
found.push(chosen, (() => false)(), a < 1);`;
  const mutants = findMutants("src/x.ts", body);
  assert.ok(mutants.length > 15, String(mutants.length));
  for (const on of [0, ...mutants.keys().map((i) => i + 1)]) {
    const [switched, changed] = outcomesOf(body, mutants, on);
    assert.deepEqual(switched, changed, JSON.stringify(mutants[on - 1]));
  }
  const switched = withSwitches(body, mutants.map((mutant, i) => ({ id: i + 1, mutant })));
  assert.equal(switched.split("\n").length, body.split("\n").length);
});

const SCRIPTS = new URL("../../scripts/", import.meta.url).pathname;

const SOURCE = `export function larger(a: number, b: number): number {
  if (a > b) return a;
  return b;
}

export function isPositive(a: number): boolean {
  return a > 0;
}

export function unused(a: number): boolean {
  return a === 7;
}
`;

const TEST = `import { isPositive, larger } from "../src/numbers.ts";
Deno.test("larger", () => {
  if (larger(1, 2) !== 2 || larger(3, 2) !== 3) throw new Error("larger");
});
Deno.test("isPositive", () => {
  if (!isPositive(5) || isPositive(-5)) throw new Error("isPositive");
});
`;

type Files = Readonly<Record<string, string>>;

/** Runs the task in a project of its own, after `prepare` ran there. */
async function mutate(
  project: Files,
  args: readonly string[],
  prepare?: (folder: string) => Promise<unknown>,
): Promise<{ code: number; out: string; error: string; sources: string }> {
  const folder = Deno.makeTempDirSync({ prefix: "fw-mutate-test-" });
  try {
    for (const [file, text] of Object.entries({ "import_map.json": '{"imports":{}}', ...project })) {
      Deno.mkdirSync(`${folder}/${file}`.replace(/\/[^/]*$/, ""), { recursive: true });
      Deno.writeTextFileSync(`${folder}/${file}`, text);
    }
    await new Deno.Command("git", { args: ["init", "--quiet"], cwd: folder }).output();
    await prepare?.(folder);
    const config = new URL("../../deno.json", import.meta.url).pathname;
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "--no-check", "--quiet", "-A", "--config", config, `${SCRIPTS}mutate.ts`, ...args],
      cwd: folder,
      env: { NO_COLOR: "1" },
    }).output();
    const [out, error] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
    return { code, out, error, sources: Deno.readTextFileSync(`${folder}/src/numbers.ts`) };
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

const PROJECT: Files = { "src/numbers.ts": SOURCE, "tests/numbers_test.ts": TEST };

Deno.test("deno task mutate tells what no test notices or reaches, and leaves the tree as it was", async () => {
  const { code, out, error, sources } = await mutate(
    { ...PROJECT, "tests/mutants.json": "[]" },
    ["--seed", "1", "--jobs", "1", "--json"],
  );
  assert.equal(code, 1, error);
  const { verdicts } = JSON.parse(out);
  const outcomes = verdicts.map((verdict: { outcome: string; mutant: { line: number; kind: string } }) =>
    `${verdict.mutant.line} ${verdict.mutant.kind}: ${verdict.outcome}`
  );
  assert.deepEqual(outcomes.sort(), [
    "11 constant: not reached",
    "11 operator: not reached",
    "2 boundary: survived",
    "2 condition: noticed",
    "7 boundary: survived",
    "7 constant: survived",
  ]);
  const noticers = verdicts.map(({ by }: { by?: string }) => by).filter((by: unknown) => by !== undefined);
  assert.deepEqual(noticers, ["tests/numbers_test.ts"]);
  assert.equal(sources, SOURCE);
});

Deno.test("deno task mutate passes over changes that tests/mutants.json calls equivalent", async () => {
  const entry = {
    ...{ file: "src/numbers.ts", context: "if (a > b) return a;", original: "a > b" },
    ...{ replacement: "((a) >= (b))", reason: "both are the same then" },
  };
  const only = { ...PROJECT, "src/numbers.ts": SOURCE.split("\n").slice(0, 4).join("\n") };
  const test = TEST.replace("isPositive, ", "").replace(/Deno\.test\("isP[^]*/, "");
  const project = { ...only, "tests/numbers_test.ts": test };
  const listed = await mutate({ ...project, "tests/mutants.json": JSON.stringify([entry]) }, ["--jobs", "1"]);
  assert.equal(listed.code, 0, listed.error);
  assert.match(listed.out, /all\s+1\s+1\s+0\s+0\s+0\s+0\s+100\.0 %/);
  const gone = JSON.stringify([{ ...entry, context: "if (a > c) return a;" }]);
  const stale = await mutate({ ...project, "tests/mutants.json": gone }, ["--jobs", "1"]);
  assert.equal(stale.code, 1, stale.error);
  assert.match(
    stale.error,
    /^tests\/mutants\.json: src\/numbers\.ts has no .* in a line "if \(a > c\) return a;" any more/m,
  );
  assert.match(stale.out, /all\s+2\s+1\s+0\s+1\s+/);
});

Deno.test("tests/mutants.json lists changes that deno task mutate makes", () => {
  assert.deepEqual(staleEntries(readEquivalents()), []);
});

Deno.test("deno task mutate tries what is built once in processes that build it with the change", async () => {
  const source = `const LIMIT = 3;
let known: boolean | undefined;
export function isSmall(a: number): boolean {
  return known ??= a < LIMIT;
}
`;
  const test = `import { isSmall } from "../src/numbers.ts";
const isFirstSmall = isSmall(3);
Deno.test("isSmall", () => {
  if (isFirstSmall) throw new Error("3");
});
`;
  const project = { "src/numbers.ts": source, "tests/numbers_test.ts": test, "tests/mutants.json": "[]" };
  const { code, out, error } = await mutate(project, ["--jobs", "1", "--json"]);
  assert.equal(code, 0, error);
  type Tried = { outcome: string; tests: number; mutant: { kind: string } };
  const outcomes = JSON.parse(out).verdicts.map(({ mutant, outcome, tests }: Tried) =>
    `${mutant.kind}: ${outcome} by run ${tests}`
  );
  assert.deepEqual(outcomes.sort(), ["boundary: noticed by run 2", "constant: noticed by run 1"]);
  const kept = `const labels = new Map<string, string>();
export function labelOf(name: string): string | undefined {
  let label = labels.get(name);
  if (label === undefined) labels.set(name, label = name + name);
  return label;
}
`;
  const script = await mutate({
    "src/numbers.ts": "export {};\n",
    "src/numbers.js": "let known;\nexport const isSmall = (a) => known ??= a < 3;\n",
    "tests/numbers_test.ts": test.replace("numbers.ts", "numbers.js"),
    "tests/mutants.json": "[]",
  }, ["--jobs", "1"]);
  assert.match(script.out, /all\s+(\d)\s+\1\s+0\s+0\s+/, script.error);
  const labelled = await mutate({
    ...{ ...project, "src/numbers.ts": kept },
    "tests/numbers_test.ts": `import { labelOf } from "../src/numbers.ts";
Deno.test("labelOf", () => {
  if (labelOf("a") !== "aa") throw new Error("a");
});
`,
  }, ["--jobs", "1"]);
  assert.match(labelled.out, /all\s+3\s+3\s+0\s+0\s+/, labelled.error);
});

Deno.test("deno task mutate tells texts for browsers, which have no environment, what is on", async () => {
  const { code, out, error } = await mutate({
    "src/numbers.ts": 'import page from "./page.js" with { type: "text" };\nexport { page };\n',
    "src/page.js": "var isOne = (a) => a === 1;\n",
    "tests/browse.ts": `import { runInNewContext } from "node:vm";
import { page } from "../src/numbers.ts";
if (!runInNewContext(page + "isOne(1)") || runInNewContext(page + "isOne(2)")) throw new Error("isOne");
`,
    "tests/numbers_test.ts": `Deno.test("page", async () => {
  const args = ["run", "--quiet", "-A", "tests/browse.ts"];
  const { success, stderr } = await new Deno.Command(Deno.execPath(), { args }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
});
`,
    "tests/mutants.json": "[]",
  }, ["--jobs", "1"]);
  assert.equal(code, 0, error);
  assert.match(out, /all\s+2\s+2\s+0\s+0\s+/, error);
});

Deno.test("deno task mutate blames a change for no failure that stays when it is off", async () => {
  const once = `if ("ran" in globalThis) throw new Error("twice");
Object.assign(globalThis, { ran: true });
`;
  const project = { ...PROJECT, "tests/numbers_test.ts": TEST + once, "tests/mutants.json": "[]" };
  const { out, error } = await mutate(project, ["--seed", "1", "--jobs", "1"]);
  assert.match(out, /all\s+6\s+1\s+0\s+3\s+2\s+/, error);
});

Deno.test("deno task mutate shows a change to those tests of a file that reach it, or that may as the file itself does", async () => {
  const source = "export const isOne = (a: number) => a === 1;\n";
  const test = `import { isOne } from "../src/numbers.ts";
Deno.test("isOne", () => {
  if (!isOne(1)) throw new Error("1");
});
Deno.test("other", () => Deno.writeTextFileSync(Deno.env.get("RAN_FILE")!, "ran ", { append: true }));
`;
  const ran = Deno.makeTempFileSync();
  const runsOf = async (text: string) => {
    Deno.writeTextFileSync(ran, "");
    const files = { "src/numbers.ts": source, "tests/numbers_test.ts": text, "tests/mutants.json": "[]" };
    const { out, error } = await mutate(files, ["--jobs", "1"]);
    assert.match(out, /all\s+2\s+2\s+0\s+0\s+/, error);
    return Deno.readTextFileSync(ran);
  };
  Deno.env.set("RAN_FILE", ran);
  try {
    assert.equal(await runsOf(test), "ran ", "when what it reaches was measured");
    const loaded = test.replace("Deno.test(", 'if (!isOne(1)) throw new Error("1");\nDeno.test(');
    assert.equal(await runsOf(loaded), "ran ".repeat(3), "and after each change, when it was off again");
  } finally {
    Deno.env.delete("RAN_FILE");
    Deno.removeSync(ran);
  }
});

Deno.test("deno task mutate ends with 2 and one line where nothing can be measured", async () => {
  const project = { ...PROJECT, "tests/mutants.json": "[]" };
  const unknown = await mutate(project, ["--only", "src/nowhere"]);
  assert.equal(unknown.code, 2);
  assert.match(unknown.error, /^mutate: --only src\/nowhere: there is no source in it/m);
  const untested = await mutate(project, ["--tests", "tests/nowhere"]);
  assert.equal(untested.code, 2);
  assert.match(untested.error, /^mutate: --tests tests\/nowhere: there is no test file in it/m);
});

Deno.test("deno task mutate names the files whose tests fail before any change, and what they said", async () => {
  const failed = await mutate({
    ...{ ...PROJECT, "tests/mutants.json": "[]" },
    "tests/suite.ts": TEST.replace("!== 2", "!== 3"),
    "tests/by_suite_test.ts": 'import "./suite.ts";',
    "tests/module_test.ts": 'throw new Error("No module");',
  }, ["--jobs", "1"]);
  assert.equal(failed.code, 2);
  assert.match(
    failed.error,
    /^mutate: the tests fail before any change: tests\/by_suite_test\.ts, tests\/module_test\.ts \(dist\/mutate\/failed_run\.txt\)$/m,
  );
});

function git(folder: string, ...args: string[]): Promise<Deno.CommandOutput> {
  return new Deno.Command("git", {
    args: ["-c", "user.name=a", "-c", "user.email=a@b.c", ...args],
    cwd: folder,
  })
    .output();
}

async function commit(folder: string, files: Files = {}): Promise<void> {
  for (const [file, text] of Object.entries(files)) {
    Deno.mkdirSync(`${folder}/${file}`.replace(/\/[^/]*$/, ""), { recursive: true });
    Deno.writeTextFileSync(`${folder}/${file}`, text);
  }
  await git(folder, "add", "--all");
  await git(folder, "commit", "--quiet", "--message", "change");
}

function outcomesByLine(out: string): string[] {
  return JSON.parse(out).verdicts.map((
    verdict: { outcome: string; mutant: { file: string; line: number } },
  ) => `${verdict.mutant.file}:${verdict.mutant.line} ${verdict.outcome}`).sort();
}

const IN_TIME = ["--changed", "--minutes", "5", "--json"];

Deno.test("deno task mutate --changed --minutes asks the tests of a room first, then all that load the module", async () => {
  const project = { ...PROJECT, "tests/mutants.json": "[]", ".gitignore": "dist/" };
  const { code, out, error } = await mutate(project, IN_TIME, async (folder) => {
    await commit(folder);
    await commit(folder, {
      "src/numbers.ts": SOURCE.replace("a > 0", "a > 1"),
      "src/other/zero.ts": "export const isZero = (a: number) => a === 0;\n",
      "src/other/one.ts": "export const isOne = (a: number) => a === 1;\n",
      "tests/other/one_test.ts": 'import "../../src/other/one.ts";\n',
      "tests/far_test.ts": `import { isOne } from "../src/other/one.ts";
Deno.test("isOne", () => {
  if (!isOne(1) || isOne(2)) throw new Error("isOne");
});
`,
    });
  });
  assert.equal(code, 1, error);
  assert.deepEqual(outcomesByLine(out), [
    "src/numbers.ts:7 survived",
    "src/numbers.ts:7 survived",
    "src/other/one.ts:1 noticed",
    "src/other/one.ts:1 noticed",
    "src/other/zero.ts:1 not reached",
    "src/other/zero.ts:1 not reached",
  ]);
});

Deno.test("deno task mutate --minutes calls undecided what it has no time for", async () => {
  const project = { ...PROJECT, "tests/mutants.json": "[]" };
  const { code, out, error } = await mutate(project, ["--minutes", "0", "--sample", "3", "--json"]);
  assert.equal(code, 0, error);
  assert.deepEqual(new Set(outcomesByLine(out).map((line) => line.split(" ")[1])), new Set(["undecided"]));
});

Deno.test("deno task mutate --minutes runs what is built once with the change before a change has survived", async () => {
  const source = `const LIMIT = 3;
const labels = new Map<string, string>();
export function labelOf(name: string): string | undefined {
  let label = labels.get(name);
  if (label === undefined) labels.set(name, label = name + LIMIT);
  return label;
}
`;
  const test = `import { labelOf } from "../src/numbers.ts";
Deno.test("labelOf", () => {
  if (labelOf("a") !== "a3") throw new Error("a");
});
`;
  const project = { "src/numbers.ts": source, "tests/numbers_test.ts": test, "tests/mutants.json": "[]" };
  const { code, out, error } = await mutate(project, ["--minutes", "5", "--jobs", "1", "--json"]);
  assert.equal(code, 0, error);
  assert.deepEqual(outcomesByLine(out), [
    "src/numbers.ts:1 noticed",
    ...["operator", "condition", "removed statement"].map(() => "src/numbers.ts:5 noticed"),
  ]);
});

Deno.test("deno task mutate --changed starts from the commit that last added to the list, with what it changed", async () => {
  const entry = {
    ...{ file: "src/numbers.ts", context: "if (a > b) return a;", original: "a > b" },
    ...{ replacement: "((a) >= (b))", reason: "both are the same then" },
  };
  const gone = { ...entry, context: "if (a > c) return a;" };
  const listOf = (...entries: unknown[]) => JSON.stringify(entries, undefined, 2);
  const project = { ...PROJECT, "tests/mutants.json": listOf(gone), ".gitignore": "dist/" };
  const { out, error } = await mutate(project, IN_TIME, async (folder) => {
    await commit(folder);
    await commit(folder, { "src/before.ts": "export const isTwo = (a: number) => a === 2;\n" });
    await commit(folder, {
      "src/with.ts": "export const isThree = (a: number) => a === 3;\n",
      "tests/mutants.json": listOf(gone, entry),
    });
    await commit(folder, {
      "src/after.ts": "export const isFour = (a: number) => a === 4;\n",
      "tests/mutants.json": listOf(entry),
    });
  });
  assert.deepEqual(
    [...new Set(outcomesByLine(out))],
    ["src/after.ts:1 not reached", "src/with.ts:1 not reached"],
    error,
  );
});

Deno.test("deno task mutate --seconds counts as survived what no test noticed in that time", async () => {
  const project = { ...PROJECT, "tests/mutants.json": "[]" };
  const { code, out, error } = await mutate(project, ["--seed", "1", "--jobs", "1", "--seconds", "0"]);
  assert.equal(code, 1, error);
  assert.match(out, /all\s+6\s+0\s+0\s+4\s+2\s+0\s+0\.0 %/);
});

Deno.test("deno task mutate finds the tests of a room by its folder and the names of files, nearest first", () => {
  const tests = [
    "tests/a/b/one_test.ts",
    "tests/a/b_more_test.ts",
    "tests/a/c_test.ts",
    "tests/a/other_test.ts",
    "tests/b/b_test.ts",
    "tests/d/d_test.ts",
  ];
  const own = (file: string) => [...nearTests(file, tests).own].sort();
  assert.deepEqual(own("src/a/b/x.ts"), ["tests/a/b/one_test.ts", "tests/a/b_more_test.ts"]);
  assert.deepEqual(own("src/a/e/c.ts"), ["tests/a/c_test.ts"]);
  assert.deepEqual(own("src/a/e/x.ts"), tests.slice(0, 4));
  assert.deepEqual(own("src/e/x.ts"), []);
  const { inOrder, own: without } = nearTests("src/a/b/one.ts", tests, new Set(["tests/d/d_test.ts"]));
  assert.deepEqual(inOrder, ["tests/a/b/one_test.ts", "tests/a/b_more_test.ts", "tests/d/d_test.ts"]);
  assert.ok(!without.has("tests/d/d_test.ts"));
  const inOrderOf = (file: string, ...of: readonly string[]) => nearTests(file, of).inOrder[0];
  assert.equal(
    inOrderOf("src/cli/worker_process.ts", "tests/cli/a_test.ts", "tests/cli/workers_test.ts"),
    "tests/cli/workers_test.ts",
  );
  const security = "tests/security/http_test.ts";
  assert.deepEqual([...nearTests("src/auth/x.ts", [...tests, security]).own], [security]);
});
