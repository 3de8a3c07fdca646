/** Which registered handlers take part in a request, and in which order. */

import assert from "node:assert/strict";
import {
  type HandlerEntry,
  Handlers,
  type HandlerTypes,
  type Phase,
} from "../../src/service/handlers/handlers.ts";

type Entry = HandlerEntry<HandlerTypes[Phase]>;

/** Handlers that are told apart by their names. */
function registered(
  ...given: readonly (readonly [name: string, phase: Phase, events: string, paths: string])[]
) {
  const handlers = new Handlers();
  const names = new Map<unknown, string>();
  const setOf = (text: string) => text === "*" ? "*" as const : new Set(text.split(" "));
  const add = (name: string, phase: Phase, events: string, paths: string) => {
    const handler = () => name;
    names.set(handler, name);
    handlers.add(phase, { events: setOf(events), paths: setOf(paths), each: false, handler });
  };
  for (const one of given) add(...one);
  const found = (phase: Phase, event: string, entity?: string, path?: string) =>
    (handlers.for(phase, { event, entity, path }) as readonly Entry[]).map(({ handler }) =>
      names.get(handler)
    ).join(" ");
  return { handlers, add, found };
}

Deno.test("handlers take part by event and entity, in the order in which they were registered", () => {
  const { found } = registered(
    ["a", "on", "READ", "S.Books"],
    ["b", "on", "*", "S.Books S.Authors"],
    ["c", "on", "READ CREATE", "*"],
    ["d", "before", "READ", "S.Books"],
    ["e", "on", "order", "*"],
  );
  assert.equal(found("on", "READ", "S.Books"), "a b c");
  assert.equal(found("on", "READ", "S.Authors"), "b c");
  assert.equal(found("on", "CREATE", "S.Books"), "b c");
  assert.equal(found("on", "DELETE", "S.Books"), "b");
  assert.equal(found("on", "order"), "e");
  assert.equal(found("on", "READ"), "c");
  assert.equal(found("before", "READ", "S.Books"), "d");
  assert.equal(found("after", "READ", "S.Books"), "");
});

Deno.test("handlers of all events take part in none of transactions, nor in that around an activation", () => {
  const { found } = registered(["all", "before", "*", "*"], ["own", "before", "COMMIT ACTIVATE", "*"]);
  assert.equal(found("before", "NEW"), "all");
  for (const event of ["COMMIT", "ACTIVATE"]) assert.equal(found("before", event), "own");
  for (const event of ["BEGIN", "ROLLBACK"]) assert.equal(found("before", event), "");
});

Deno.test("handlers of a navigation take part where it is the path, beside those of its target", () => {
  const { found } = registered(["path", "on", "READ", "S.Books/author"], [
    "target",
    "on",
    "READ",
    "S.Authors",
  ]);
  assert.equal(found("on", "READ", "S.Authors", "S.Books/author"), "path target");
  assert.equal(found("on", "READ", "S.Authors", "S.Other/author"), "target");
  assert.equal(found("on", "READ", "S.Authors"), "target");
});

Deno.test("a handler takes part from its registration on, and is counted", () => {
  const { handlers, add, found } = registered(["a", "on", "READ", "S.Books"]);
  assert.equal(found("on", "READ", "S.Books"), "a");
  assert.deepEqual([handlers.added, handlers.has("on"), handlers.has("after")], [1, true, false]);
  add("b", "on", "READ", "S.Books");
  assert.equal(found("on", "READ", "S.Books"), "a b");
  assert.equal(handlers.added, 2);
  const subject = { event: "READ", entity: "S.Books" };
  assert.equal(handlers.byPhase(subject), handlers.byPhase({ ...subject }));
});

Deno.test("handlers that are prepended come first, in their own order, also where registering them fails", () => {
  const { handlers, add, found } = registered(["last", "on", "*", "*"]);
  assert.throws(() =>
    handlers.prepend(() => {
      add("first", "on", "*", "*");
      add("second", "on", "*", "*");
      add("before", "before", "*", "*");
      throw new Error("no");
    }), { message: "no" });
  add("behind", "on", "*", "*");
  assert.equal(found("on", "READ"), "first second last behind");
  assert.equal(found("before", "READ"), "before");
});

Deno.test("all handlers are told with their phases, and one that is refused is none", () => {
  const { handlers, add, found } = registered(["a", "after", "*", "*"], ["b", "before", "*", "*"]);
  assert.deepEqual([...handlers.all()].map(({ phase }) => phase), ["before", "after"]);
  const told: unknown[] = [];
  handlers.adding = (phase, { events }) => {
    told.push([phase, events]);
    throw new Error("refused");
  };
  assert.throws(() => add("c", "on", "*", "*"), { message: "refused" });
  assert.deepEqual([told, found("on", "READ"), handlers.added], [[["on", "*"]], "", 2]);
});

Deno.test("handlers are found once for all requests that are alike, and anew where one is added", () => {
  const { handlers, add } = registered(["a", "on", "READ", "*"]);
  const books = { event: "READ", entity: "S.Books" };
  const found = handlers.byPhase(books);
  const authors = handlers.byPhase({ event: "READ", entity: "S.Authors" });
  assert.equal(handlers.byPhase({ ...books, path: "S.Authors/books" }), found);
  assert.notEqual(authors, found);
  assert.equal(handlers.byPhase({ event: "READ", entity: "S.Authors" }), authors);
  add("b", "on", "READ", "S.Books");
  assert.deepEqual([handlers.byPhase(books).on.length, found.on.length], [2, 1]);
});
