import assert from "node:assert/strict";
import { boxMessages, withPlace } from "./place.ts";

const ROUTES = { A: ["**/ReviewsService/*"], B: ["**/sap/s4/**"] };

/** Two boxes behind one messaging service. */
function twoBoxes(folder: string) {
  const file = (name: string) => ({ kind: "file-based-messaging", file: `${folder}/${name}` });
  return { messaging: { kind: "composite-messaging", routes: ROUTES }, A: file("A"), B: file("B") };
}

const emitted = (...events: readonly string[]) => events.map((event) => ({ event, data: {} }));

function topics(file: string): string[] {
  return boxMessages(file).map(({ topic }) => topic);
}

Deno.test("routes send outbound messages to the named channel [2.7.routes] [6.3.4b] (MSG-028)", () =>
  withPlace(async ({ folder, emit }) => {
    await emit({ requires: twoBoxes(folder), emit: emitted("/ReviewsService/reviewed", "x/sap/s4/beh") });
    assert.deepEqual([topics(`${folder}/A`), topics(`${folder}/B`)], [
      ["/ReviewsService/reviewed"],
      ["x/sap/s4/beh"],
    ]);
  }));

Deno.test("routes select the channel of inbound messages [6.3.4b] (MSG-029)", () =>
  withPlace(async ({ folder, emit, receive }) => {
    const requires = twoBoxes(folder);
    const { handled } = await receive({ requires, receive: [{ events: "x/sap/s4/beh" }] });
    await emit({ requires, emit: emitted("x/sap/s4/beh") });
    assert.equal((await handled(1)).length, 1);
    const groups = (channel: string) =>
      [...Deno.readDirSync(`${folder}/${channel}.d`)].filter(({ name }) => name.endsWith(".lock"));
    assert.deepEqual(groups("B").map(({ name }) => name), ["receiver.lock"]);
    assert.deepEqual(groups("A"), []);
  }));

Deno.test("an event without a route is an error, not silence (MSG-030)", () =>
  withPlace(async ({ folder, emit }) => {
    await assert.rejects(emit({ requires: twoBoxes(folder), emit: emitted("no/route") }), (error: Error) => {
      const refused =
        /refused NO_ROUTE No route for event 'no\/route', the routes are A: \*\*\/ReviewsService/;
      assert.match(error.message, refused);
      return true;
    });
    assert.deepEqual([topics(`${folder}/A`), topics(`${folder}/B`)], [[], []]);
  }));
