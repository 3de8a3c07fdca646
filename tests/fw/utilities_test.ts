import assert from "node:assert/strict";
import { utilities } from "../../src/fw/utilities.ts";
import { withShop } from "./shop.ts";

Deno.test("fw.utils decodes what is encoded, and leaves anything else", () => {
  const { decodeURI: whole, decodeURIComponent: part, uuid } = utilities;
  assert.deepEqual([whole("a%20b%2F"), part("a%20b%2F")], ["a b%2F", "a b/"]);
  assert.deepEqual([whole("100%"), part("%E0%A4%A")], ["100%", "%E0%A4%A"]);
  assert.match(uuid(), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.notEqual(uuid(), uuid());
});

/** Codes of text and backgrounds by name (ECMA-48). */
const CODES: Readonly<Record<string, number>> = {
  ...{ RESET: 0, BOLD: 1, BRIGHT: 1, DIMMED: 2, ITALIC: 3, UNDER: 4, BLINK: 5, FLASH: 6, INVERT: 7 },
  ...{ BLACK: 30, RED: 31, GREEN: 32, YELLOW: 33, BLUE: 34, PINK: 35, CYAN: 36, LIGHT_GRAY: 37, DEFAULT: 39 },
  ...{ GRAY: 90, LIGHT_RED: 91, LIGHT_GREEN: 92, LIGHT_YELLOW: 93, LIGHT_BLUE: 94, LIGHT_PINK: 95 },
  ...{ LIGHT_CYAN: 96, WHITE: 97 },
};
const GROUND: Readonly<Record<string, number>> = {
  ...{ BLACK: 40, RED: 41, GREEN: 42, YELLOW: 43, BLUE: 44, PINK: 45, CYAN: 46, WHITE: 47, DEFAULT: 49 },
  ...{ GRAY: 100, LIGHT_GRAY: 100, LIGHT_RED: 101, LIGHT_GREEN: 102, LIGHT_YELLOW: 103, LIGHT_BLUE: 104 },
  ...{ LIGHT_PINK: 105, LIGHT_CYAN: 106, LIGHT_WHITE: 107 },
};

for (const colours of [true, false]) {
  Deno.test(`fw.utils.colors are sequences of terminals ${colours ? "with" : "and empty without"} colours`, () =>
    withShop({ kinds: { terminal: () => ({ colours }) } as never }, () => {
      const sequences = (codes: Readonly<Record<string, number>>) =>
        Object.fromEntries(
          Object.entries(codes).map(([name, code]) => [name, colours ? `\x1b[${code}m` : ""]),
        );
      const { bg, ...text } = utilities.colors;
      assert.deepEqual(text, sequences(CODES));
      assert.deepEqual(bg, sequences(GROUND));
    }));
}
