/** Conditions in URLs of other services: literals have the form of what they are compared with (OData URL conventions 5.1.1). */

import assert from "node:assert/strict";
import { EventContext, User } from "../../../mod.ts";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../../src/model/link_model.ts";
import { parseExpression } from "../../../src/cqn/parse_cql.ts";
import { toRemoteExpression } from "../../../src/odata/remote/remote_expression.ts";

const MODEL = linkModel(parseCdl("entity Books { key ID : Integer; price : Decimal; title : String; }"));

/** The literals of an expression, in their order. */
function literalsOf(value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  if ("kind" in value && value.kind === "primitiveLiteral") {
    return [(value as { text?: string }).text ?? JSON.stringify(value)];
  }
  return Object.values(value).flatMap(literalsOf);
}

Deno.test("literals take the form of the type that they are compared with, through calculations on both sides", () => {
  const context = EventContext.for({ user: new User({ id: "ann" }) });
  for (
    const [text, literals] of [
      ["price = '1.5'", ["1.5"]],
      ["'1.5' = price", ["1.5"]],
      ["price = '1.5' + '2.5'", ["1.5", "2.5"]],
      ["'1.5' + '2.5' = price", ["1.5", "2.5"]],
      ["price + '1.5' = '2.5'", ["1.5", "2.5"]],
      ["'1.5' * price = '2.5'", ["1.5", "2.5"]],
      ["title = '1.5'", ["'1.5'"]],
      ["'1.5' = '2.5'", ["'1.5'", "'2.5'"]],
    ] as const
  ) {
    const scope = { entity: MODEL.entity("Books")!, prefix: [], context };
    assert.deepEqual(literalsOf(toRemoteExpression(parseExpression(text), scope)), literals, text);
  }
});
