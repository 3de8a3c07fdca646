import assert from "node:assert/strict";
import type { Csn } from "../../../src/model/csn.ts";
import type { ServiceRequest } from "../../../src/service/requests/service_request.ts";
import { SHOP } from "../fixture_model.ts";
import { withShop } from "../with_shop.ts";

const LOGOS: Csn = {
  definitions: {
    ...SHOP.definitions!,
    "ShopService.Logos": {
      kind: "entity",
      elements: {
        ID: { key: true, type: "cds.Integer" },
        image: { type: "cds.Binary", "@Core.MediaType": "image/png" },
        bytes: { type: "cds.Binary" },
        text: { type: "cds.String", "@Core.MediaType": "text/html" },
      },
    },
  },
};
const ROWS: Record<number, object> = {
  1: { image: "AQI=", bytes: "-_8=", text: "<p>" },
  2: { image: new Uint8Array([65, 66]), bytes: new Uint8Array([251, 255]), text: "" },
  3: { image: "no bytes", bytes: null, text: null },
};

/** Raw values: status, type and body. */
const VALUES: readonly (readonly [url: string, status: number, type?: string, body?: string])[] = [
  ["1/image", 200, "image/png", "\u0001\u0002"],
  ["2/image", 200, "image/png", "AB"],
  ["3/image", 200, "text/plain", "no bytes"],
  ["1/bytes", 200, "text/plain", "-_8="],
  ["2/bytes", 200, "text/plain", "-_8="],
  ["3/bytes", 204],
  ["1/text", 200, "text/plain", "<p>"],
  ["3/text", 204],
];

Deno.test("the raw value of bytes is that of their media type, else base64; what is no bytes stays text (Protocol 11.2.4.1)", () =>
  withShop(async (shop) => {
    for (const [path, status, type, body] of VALUES) {
      const [ID, name] = path.split("/");
      const answer = await shop.send("GET", `Logos(${ID})/${name}/$value`);
      assert.equal(answer.status, status, path);
      assert.equal(answer.headers["content-type"]?.replace(/;.*/, ""), type, path);
      assert.equal(answer.body, body, path);
    }
  }, {
    model: LOGOS,
    database: undefined,
    register: (service) =>
      service.on("READ", "Logos", (req) => {
        const { ID } = (req as ServiceRequest).params[0] as { ID: number };
        return { ID, ...ROWS[ID] };
      }),
  }));
