import assert from "node:assert/strict";
import { createRuntime } from "../../mod.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { send } from "../http/fixture.ts";

const MODEL = `
  @protocol: ['odata', 'rest'] service S {
    entity E { key ID : Integer; }
    function number() returns Integer;
    function long() returns Int64;
    function price() returns Decimal(9,2);
    function flag() returns Boolean;
    function text() returns String(3);
    function day() returns Date;
    function point() returns { x : Integer; };
    function numbers() returns many Integer;
    function entities() returns many E;
  }`;

/** The answers to calls whose handlers return these values, and the lines of the log. */
async function answersTo(results: Readonly<Record<string, unknown>>, path = "odata/v4") {
  const runtime = createRuntime({
    model: parseCdl(MODEL),
    handlers: {
      S: (srv) => {
        for (const name of Object.keys(results)) {
          if (name === "E") srv.on("READ", "E", () => results.E);
          else srv.on(name, () => results[name]);
        }
      },
    },
    env: { log: { levels: { default: "error" } }, requires: { db: false } },
  });
  await runtime.start();
  const lines: string[] = [];
  const { error } = console;
  console.error = (...parts: unknown[]) => void lines.push(parts.map(String).join(" "));
  try {
    const answers = [];
    for (const name of Object.keys(results)) {
      answers.push(await send(runtime, `/${path}/s/${name}${name === "E" ? "" : "()"}`));
    }
    return { answers, lines };
  } finally {
    console.error = error;
    await runtime.close();
  }
}

const WRONG = {
  number: "hello",
  long: 1.5,
  price: "much",
  flag: "no",
  text: 5,
  day: 20240301,
  point: "hello",
  numbers: [1, "hello"],
  entities: ["hello"],
};

for (const path of ["odata/v4", "rest"]) {
  Deno.test(`a result that is not of the declared type is 500, and the log tells the operation and the type (${path})`, async () => {
    const { answers, lines } = await answersTo(WRONG, path);
    for (const [index, name] of Object.keys(WRONG).entries()) {
      assert.equal(answers[index]!.status, 500, name);
      assert.equal(
        lines.filter((line) => line.includes(`"S.${name}"`)).length,
        1,
        `${name}: ${lines.join("\n")}`,
      );
    }
    assert.match(
      lines.join("\n"),
      /The handler of "S.number" returned a value of type string that is no Integer/,
    );
    assert.doesNotMatch(lines.join("\n"), /hello/);
  });
}

Deno.test("results of the declared type pass, whatever their length and digits", async () => {
  const { answers } = await answersTo({
    ...{ number: 1, long: "9007199254740993", price: "1.2345", flag: false, text: "long text" },
    ...{
      day: new Date(0),
      point: Object.create({}, { x: { value: 1, enumerable: true } }),
      numbers: [1, null],
    },
  });
  assert.deepEqual(answers.map(({ status }) => status), answers.map(() => 200));
});

Deno.test("sets, iterators and generators that handlers return are collections of their members", async () => {
  const rows = [{ ID: 1 }, { ID: 2 }];
  const iterables: readonly (() => unknown)[] = [
    () => new Set(rows),
    () => rows.values(),
    function* () {
      yield* rows;
    },
    async function* () {
      yield* rows;
    },
  ];
  for (const given of iterables) {
    const { answers } = await answersTo({ E: given(), entities: given() });
    for (const { body } of answers) assert.deepEqual(body.value, rows);
  }
});
