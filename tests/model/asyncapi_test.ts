import assert from "node:assert/strict";
import specs from "@asyncapi/specs";
import { Ajv2020 } from "ajv/2020";
import { Ajv } from "ajv";
import addFormats from "ajv-formats";
import { compileCdl } from "../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../src/model/link_model.ts";
import { buildAsyncApi } from "../../src/model/schema/asyncapi.ts";

const TEXT = `
namespace my.shop;
type Money { amount: Decimal(10, 2) not null; currency: String(3); }
type Tags: array of String(20);
entity Tree { key ID: UUID; name: String(50); children: Composition of many Tree on children.parent = $self; parent: Association to Tree; }
/** Events of orders */
service Orders {
  /** An order was sold */
  @title: 'Sold' event Sold { key ID: UUID; price: Money; tags: Tags; state: String enum { open; closed = 'c' };
    lines: many { product: String not null; amount: Integer }; tree: Association to Tree; whole: Composition of one Tree; at: Timestamp; }
  @topic: 'shop/order/gone' event Gone : { ID: UUID; }
  action act();
}
service Others { event Ping { n: Int64; } }
`;

const model = linkModel(compileCdl(["m.cds"], { readFile: (path) => path === "m.cds" ? TEXT : undefined }));

type Document = {
  channels: Record<string, { address: string }>;
  components: {
    messages: Record<string, { payload: Record<string, never> }>;
    schemas: Record<string, object>;
  };
};

Deno.test("the AsyncAPI document of a model is valid against the schema of AsyncAPI 3.0", () => {
  const ajv = new Ajv({ strict: false, meta: false, validateSchema: false, validateFormats: false });
  const validate = ajv.compile((specs.schemas as Record<string, object>)["3.0.0"]);
  for (
    const options of [{}, { service: model.service("my.shop.Orders"), title: "Orders", version: "2.1.0" }]
  ) {
    assert.ok(validate(buildAsyncApi(model, options)), JSON.stringify(validate.errors));
  }
});

Deno.test("channels are the events of the model under their topics", () => {
  const { channels } = buildAsyncApi(model) as unknown as Document;
  assert.deepEqual(Object.entries(channels).map(([name, { address }]) => [name, address]), [
    ["my.shop.Orders.Gone", "shop/order/gone"],
    ["my.shop.Orders.Sold", "my.shop.Orders.Sold"],
    ["my.shop.Others.Ping", "my.shop.Others.Ping"],
  ]);
});

Deno.test("payloads that the model allows are valid against the schema of the event, others are not", () => {
  const document = buildAsyncApi(model) as unknown as Document;
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  const { payload } = document.components.messages["my.shop.Orders.Sold"];
  const validate = ajv.compile({ ...payload, components: document.components });
  const ID = "3f9c1e0e-7a8b-4b57-9d55-0a5c8a4b7c11";
  const good = {
    ID,
    price: { amount: 1.5, currency: null },
    tags: ["a"],
    state: "c",
    lines: [{ product: "p", amount: 2 }],
    tree: { ID },
    whole: { ID, name: "root", children: [{ ID, name: null, children: [] }] },
    at: "2026-01-02T03:04:05Z",
  };
  assert.ok(validate(good), JSON.stringify(validate.errors));
  const wrong: Record<string, unknown>[] = [
    { ID: "x" },
    { ID: undefined },
    { price: { currency: "EUR" } },
    { tags: "a" },
    { tags: ["x".repeat(21)] },
    { state: "other" },
    { lines: [{ amount: 1 }] },
    { whole: { ID, children: [{ name: 1 }] } },
    { at: "yesterday" },
  ];
  for (const change of wrong) assert.equal(validate({ ...good, ...change }), false, JSON.stringify(change));
});
