import assert from "node:assert/strict";
import { ERROR_CODES } from "../../src/errors/codes.ts";
import { FRAMEWORK_TEXTS } from "../../src/i18n/framework_texts.ts";

/** Clients tell errors apart by status first: all codes that are not 400. */
const STATUSES: Readonly<Record<number, readonly string[]>> = {
  200: ["MESSAGES_LEFT_OUT", "DRAFT_CHANGED_MEANWHILE"],
  403: ["DRAFT_ACTIVE_DELETE_FORBIDDEN_DRAFT_EXISTS", "DRAFT_LOCKED_BY_ANOTHER_USER"],
  404: ["DRAFT_NOT_EXISTING"],
  405: [
    "ENTITY_IS_READ_ONLY",
    "ENTITY_IS_INSERT_ONLY",
    "ENTITY_IS_NOT_CRUD",
    "ENTITY_IS_AUTOEXPOSED",
    "INVALID_PUT",
    "INVALID_PATCH",
  ],
  409: [
    "ENTITY_ALREADY_EXISTS",
    "UNIQUE_CONSTRAINT_VIOLATION",
    "DRAFT_ALREADY_EXISTS",
    "INVALID_FLOW_TRANSITION_SINGLE",
    "INVALID_FLOW_TRANSITION_MULTI",
    "FLOW_WITHOUT_PREVIOUS",
  ],
  410: ["EVENTS_GONE"],
  413: ["ANSWER_TOO_LARGE", "BATCH_ANSWER_TOO_LARGE"],
  422: ["DRAFT_MODIFICATION_ONLY_VIA_ROOT"],
  429: ["TOO_MANY_REQUESTS", "TOO_MANY_STREAMS"],
  500: ["ASYNC_PARTS_LOST", "ASYNC_ANSWER_LOST"],
  503: ["ASYNC_REQUEST_LOST"],
  504: ["HANDLER_TIMEOUT"],
};

Deno.test("ERROR_CODES have their statuses, 400 unless HTTP has a closer one (RFC 9110 15)", () => {
  const others = new Map(
    Object.entries(STATUSES).flatMap(([status, codes]) => codes.map((code) => [code, Number(status)])),
  );
  for (const [code, { status }] of ERROR_CODES) assert.equal(status, others.get(code) ?? 400, code);
  assert.deepEqual([...others.keys()].filter((code) => !ERROR_CODES.has(code)), []);
});

Deno.test("ERROR_CODES have a text in every language of the framework", () => {
  for (const [locale, texts] of FRAMEWORK_TEXTS) {
    assert.deepEqual(
      [...ERROR_CODES.values()].map(({ text }) => text).sort(),
      [...texts.keys()].sort(),
      locale,
    );
  }
});

Deno.test("FRAMEWORK_TEXTS use the same placeholders in every language", () => {
  const placeholders = (text: string) => (text.match(/\{\d\}/g) ?? []).sort();
  for (const texts of FRAMEWORK_TEXTS.values()) {
    for (const [key, text] of texts) {
      assert.deepEqual(placeholders(text), placeholders(FRAMEWORK_TEXTS.get("en")!.get(key)!), key);
    }
  }
});

Deno.test("FRAMEWORK_TEXTS end without a period", () => {
  for (const texts of FRAMEWORK_TEXTS.values()) {
    for (const text of texts.values()) assert.doesNotMatch(text, /\.$/);
  }
});
