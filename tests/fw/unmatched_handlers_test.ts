import assert from "node:assert/strict";
import { createRuntime, type ServiceFunction } from "../../mod.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";

const MODEL = parseCdl(`
  entity my.Books { key ID : Integer; }
  entity my.Pages { key ID : Integer; }
  service Shop {
    entity Books { key ID : Integer; } actions { action restock(); };
    action order();
    event ordered {}
  }`);

/** What a start writes as warnings. */
async function warningsOf(handlers: ServiceFunction, events: readonly string[] = []): Promise<string[]> {
  const { warn } = console;
  const lines: string[] = [];
  console.warn = (line: string) => void lines.push(line);
  const runtime = createRuntime({
    model: MODEL,
    handlers: { Shop: handlers },
    env: { requires: { db: false } },
  });
  try {
    await runtime.start();
    for (const event of events) await runtime.services.Shop.emit(event);
  } finally {
    console.warn = warn;
    await runtime.close();
  }
  return lines;
}

Deno.test("a start warns of handlers whose entity or event is mistyped (api 3)", async () => {
  for (
    const [handlers, warning] of [
      [
        (srv) => srv.on("READ", "Boks", () => []),
        /Shop: The handler on READ of "Shop\.Boks" never runs.*"Shop\.Books"/,
      ],
      [
        (srv) => srv.before("CRAETE", "Books", () => {}),
        /before CRAETE .* not declared; did you mean "CREATE"\?/,
      ],
      [(srv) => srv.on("ordr", () => {}), /on ordr .* not declared; did you mean "order"\?/],
      [(srv) => srv.on("restok", "Books", () => {}), /did you mean "restock"\?/],
      [
        (srv) => srv.on("NEW", srv.entities.Books.drafts, () => {}),
        /on NEW of "Shop\.Books\.drafts" never runs/,
      ],
      [
        (srv) => srv.on("READ", "my.Books/pages", () => []),
        /on READ of "my\.Books\/pages" never runs: .* not one of the service; did you mean "Shop\.Books"\?$/,
      ],
      [
        (srv) => srv.on("READ", "my.Pages", () => []),
        /on READ of "my\.Pages" never runs: the entity is not one of the service$/,
      ],
    ] as [ServiceFunction, RegExp][]
  ) {
    const lines = await warningsOf(handlers);
    assert.equal(lines.length, 1, lines.join("\n"));
    assert.match(lines[0], warning);
  }
});

Deno.test("a start does not warn of handlers for what is declared, and for events of one's own", async () => {
  const lines = await warningsOf((srv) => {
    srv.before("*", () => {});
    srv.before(["CREATE", "SAVE", "POST"], "Books", () => {});
    srv.after("each", "Books", () => {});
    srv.on("READ", "Books/author", () => {});
    srv.on("restock", "Books", () => {});
    srv.on(["order", "ordered", "created", "somethingElse"], () => {});
    srv.before("COMMIT", () => {});
    srv.on("error", () => {});
  });
  assert.deepEqual(lines, []);
});

Deno.test("an event is told of once whose name is almost that of one, unless the service has a handler for it (api 3)", async () => {
  const lines = await warningsOf(
    (srv) => srv.after("orderes", () => {}),
    ["ordered", "Shop.ordered", "orderd", "orderd", "orderes", "somethingElse"],
  );
  assert.deepEqual(
    lines.filter((line) => line.includes(" emits ")).map((line) => line.replace(/^.*?(?=Shop)/, "")),
    [
      'Shop emits the event "orderd", which is not declared; did you mean "ordered"?',
    ],
  );
});

Deno.test("a handler for an entity that is undefined is refused, and not taken for one of all entities", async () => {
  const runtime = createRuntime({
    model: MODEL,
    handlers: { Shop: (srv) => srv.before("DELETE", srv.entities.Boks, () => {}) },
    env: { requires: { db: false } },
  });
  await assert.rejects(
    runtime.start(),
    /An entity is expected for the handler before DELETE, but found undefined/,
  );
  await runtime.close();
});
