import assert from "node:assert/strict";
import fc from "fast-check";
import type { Row } from "../../src/cqn/cqn.ts";
import type { Csn } from "../../src/model/csn.ts";
import type { ApplicationService } from "../../src/service/application_service.ts";
import type { ServiceRequest } from "../../src/service/requests/service_request.ts";
import { propertyRuns } from "../property_runs.ts";
import { ENGINES } from "./engines.ts";
import { openShop, type Shop } from "./fixture_host.ts";
import { SECRETS, withLibrary, withSecrets } from "./library.ts";

/** Rows with ties and nulls in each type that tokens hold, and in some that they do not. */
const MODEL: Csn = {
  definitions: {
    ShopService: { kind: "service" },
    "ShopService.Rows": {
      kind: "entity",
      elements: {
        one: { key: true, type: "cds.Integer" },
        two: { key: true, type: "cds.String", length: 10 },
        number: { type: "cds.Integer" },
        large: { type: "cds.Int64" },
        price: { type: "cds.Decimal", precision: 20, scale: 4 },
        weight: { type: "cds.Double" },
        name: { type: "cds.String", length: 20 },
        isOld: { type: "cds.Boolean" },
        day: { type: "cds.Date" },
        hour: { type: "cds.Time" },
        second: { type: "cds.DateTime" },
        instant: { type: "cds.Timestamp" },
        bytes: { type: "cds.Binary" },
        other: { type: "cds.Association", target: "ShopService.Others", keys: [{ ref: ["ID"] }] },
      },
    },
    "ShopService.Others": {
      kind: "entity",
      elements: { ID: { key: true, type: "cds.UUID" }, label: { type: "cds.String", length: 20 } },
    },
  },
};

const UUIDS = [1, 2, 3].map((digit) => `00000000-0000-4000-8000-00000000000${digit}`);
const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  number: [null, 1, 2, -3],
  large: [null, 5, "9007199254740993", "-9007199254740995"],
  price: [null, 1.5, -2, "1234567890123.4567"],
  weight: [null, 0.1, 1e300, -2.5e-7],
  name: [null, "", "o'neil", "Zoë 😀", "a\\b"],
  isOld: [null, true, false],
  day: [null, "2024-02-29", "1999-12-31"],
  hour: [null, "08:30:00", "23:59:59"],
  second: [null, "2024-02-29T08:30:00Z", "1999-12-31T23:59:59Z"],
  instant: [null, "2024-02-29T08:30:00.120Z", "2024-02-29T08:30:00.121Z"],
  bytes: [null, "AQID"],
  other_ID: [null, ...UUIDS],
};

const ROWS: readonly Row[] = Array.from({ length: 40 }, (_, index) => ({
  one: index % 7,
  two: `k${index}`,
  ...Object.fromEntries(
    Object.entries(VALUES).map((
      [name, values],
      at,
    ) => [name, values[(index * (at + 3) + at) % values.length]]),
  ),
} as Row));

const DATA: ReadonlyMap<string, readonly Row[]> = new Map<string, readonly Row[]>([
  ["ShopService.Rows", ROWS],
  ["ShopService.Others", [{ ID: UUIDS[0], label: "x" }, { ID: UUIDS[1] }, { ID: UUIDS[2], label: "y" }]],
]);

interface Page {
  readonly "@odata.nextLink"?: string;
  readonly "@odata.count"?: number;
  readonly value: readonly Row[];
}

async function read(shop: Shop, url: string, size?: number): Promise<Page> {
  const headers: Record<string, string> = size === undefined ? {} : { prefer: `maxpagesize=${size}` };
  const { status, body } = await shop.send("GET", url, { headers });
  assert.equal(status, 200, JSON.stringify(body));
  return body as Page;
}

const idOf = ({ one, two }: Row) => `${one} ${two}`;

/** The rows of all pages. */
async function readPages(shop: Shop, url: string, size: number): Promise<readonly Page[]> {
  const pages = [await read(shop, url, size)];
  for (let next = pages[0]!["@odata.nextLink"]; next !== undefined; next = pages.at(-1)!["@odata.nextLink"]) {
    assert.ok(pages.length < 100, "pages end");
    pages.push(await read(shop, next, size));
  }
  return pages;
}

const onEachEngine = async (run: (shop: Shop) => Promise<void>): Promise<void> => {
  for (const factory of Object.values(ENGINES)) await withLibrary(factory, run, { model: MODEL, data: DATA });
};

const TERMS = [...Object.keys(VALUES), "one", "two", "other/label", "length(name)", "number add 1"];
const orders = fc.array(fc.tuple(fc.constantFrom(...TERMS), fc.constantFrom("", " asc", " desc")), {
  maxLength: 4,
}).map((items) => items.map(([term, sort]) => term + sort).join(","));
const urls = fc.record({
  order: orders,
  select: fc.constantFrom("", "one", "name,price", "one,two,number"),
  filter: fc.constantFrom("", "number ne 2", "contains(two,'1')"),
  expand: fc.boolean(),
  count: fc.boolean(),
  skip: fc.constantFrom(0, 0, 3),
  top: fc.constantFrom(undefined, undefined, 17),
}).map(({ order, select, filter, expand, count, skip, top }) =>
  "Rows?" + [
    ...(order ? [`$orderby=${order}`] : []),
    ...(select ? [`$select=${select}`] : []),
    ...(filter ? [`$filter=${filter}`] : []),
    ...(expand ? ["$expand=other"] : []),
    ...(count ? ["$count=true"] : []),
    ...(skip ? [`$skip=${skip}`] : []),
    ...(top === undefined ? [] : [`$top=${top}`]),
  ].map(encodeURI).join("&")
);

Deno.test("pages behind the last row hold the same rows as one page, on each engine (Part 1, 11.2.6.7)", () =>
  onEachEngine(async (shop) => {
    const property = fc.asyncProperty(urls, fc.integer({ min: 1, max: 15 }), async (url, size) => {
      const whole = await read(shop, url);
      const pages = await readPages(shop, url, size);
      assert.deepEqual(pages.flatMap(({ value }) => value), whole.value);
      for (const page of pages) assert.equal(page["@odata.count"], whole["@odata.count"]);
    });
    await fc.assert(property, propertyRuns(60, 7));
    assert.deepEqual(shop.logged, []);
  }));

Deno.test("rows that come or go between pages neither repeat nor hide others (Part 1, 11.2.6.7)", () =>
  onEachEngine(async (shop) => {
    const url = `Rows?$orderby=${encodeURI("number desc,name")}&$select=number,name&$count=true`;
    const whole = (await read(shop, url)).value.map(idOf);
    const first = await read(shop, url, 10);
    const [gone, other] = first.value;
    for (const { one, two } of [gone!, other!]) {
      assert.equal((await shop.send("DELETE", `Rows(one=${one},two='${two}')`)).status, 204);
    }
    for (const number of [9, 8, 7]) {
      const body = { one: 100 + number, two: "new", number };
      assert.equal((await shop.send("POST", "Rows", { body })).status, 201);
    }
    const last = first.value.at(-1)!;
    assert.equal((await shop.send("DELETE", `Rows(one=${last.one},two='${last.two}')`)).status, 204);
    const rest = await readPages(shop, first["@odata.nextLink"]!, 10);
    assert.deepEqual([...first.value.map(idOf), ...rest.flatMap(({ value }) => value.map(idOf))], whole);
    assert.deepEqual(rest.map((page) => page["@odata.count"]), [40, 40, 40]);
  }));

Deno.test("a $skiptoken that was not made for the order of the URL is refused (Part 1, 11.2.6.7)", () =>
  onEachEngine(async (shop) => {
    const content = (value: unknown) => btoa(JSON.stringify(value)).replaceAll("=", "");
    const tokens = [
      "vv.",
      "vv.e30",
      "vv.!!",
      `v.${content([1, null, "1"])}`,
      `vvv.${content([1, null, "1", "1", "1"])}`,
      `nv.${content([1, null, null, "k1"])}`,
      `vv.${content([1, null, "1"])}`,
      `vv.${content([-1, null, "1", "k1"])}`,
      `vv.${content([1, "x", "1", "k1"])}`,
      `vv.${content([1, null, "x", "k1"])}`,
      `vv.${content([1, null, 1, "k1"])}`,
      `vv.${content([1, null, { a: 1 }, "k1"])}`,
      `vv.${content([1, null, "1e999", "k1"])}x`,
      `vv.${content(null)}`,
      `vv.${btoa("\xff\xff").replaceAll("=", "")}`,
      "-1",
      "1.5",
      "eyJhIjoxfQ",
    ];
    for (const token of tokens) {
      const { status, body } = await shop.send("GET", `Rows?$skiptoken=${encodeURIComponent(token)}`);
      assert.equal(status, 400, `${token} ${JSON.stringify(body)}`);
    }
    const url = `Rows?$skiptoken=vv.${content([1, null, "1", "k1"])}`;
    assert.equal((await shop.send("GET", `${url}&$count=true`)).status, 400);
    const { status } = await shop.send("GET", `${url}&$orderby=number`);
    assert.equal(status, 400);
    for (const value of ["2024-02-30", "2024-13-01", "x", ""]) {
      const dated = `vvv.${content([1, null, value, "1", "k1"])}`;
      assert.equal((await shop.send("GET", `Rows?$orderby=day&$skiptoken=${dated}`)).status, 400);
    }
    assert.deepEqual(shop.logged, []);
  }));

Deno.test("a plain number as $skiptoken leaves out as many rows (behaviours 2)", () =>
  onEachEngine(async (shop) => {
    const whole = await read(shop, "Rows?$select=one");
    assert.deepEqual((await read(shop, "Rows?$select=one&$skiptoken=30")).value, whole.value.slice(30));
    const counted = await read(shop, "Rows?$select=one&$count=true&$skip=5&$skiptoken=30");
    assert.deepEqual(counted.value, whole.value.slice(35));
    assert.equal(counted["@odata.count"], 40);
  }));

Deno.test("the token of a next link holds the values of the last row, where there are no computed ones", () =>
  onEachEngine(async (shop) => {
    const tokenOf = async (order: string) => {
      const { "@odata.nextLink": link } = await read(shop, `Rows?$orderby=${encodeURI(order)}`, 5);
      return /skiptoken=(.*)$/.exec(link!)![1]!;
    };
    for (const order of ["one", "number", "other/label desc", "isOld,instant", "two"]) {
      assert.match(await tokenOf(order), /^[nv]{2,5}\.[\w-]+$/);
    }
    for (const order of ["length(name)", "bytes"]) assert.equal(await tokenOf(order), "5");
  }));

Deno.test("pages are the same where the order leads to rows that the caller may not read", async () => {
  for (const factory of Object.values(ENGINES)) {
    await withLibrary(factory, async (shop) => {
      for (const order of ["author/name,title desc", "author/favourite/title desc", "author/rank", "title"]) {
        const url = `Books?$select=title&$orderby=${encodeURI(order)}`;
        const whole = await read(shop, url);
        for (const size of [1, 2, 3]) {
          const pages = await readPages(shop, url, size);
          assert.deepEqual(pages.flatMap(({ value }) => value), whole.value);
        }
      }
      assert.deepEqual(shop.logged, []);
    }, { model: withSecrets(), data: SECRETS });
  }
});

Deno.test("pages are the same where handlers look at the query or change the rows", async () => {
  const register = (service: ApplicationService) => {
    service.after("READ", "Books", (rows: unknown) => {
      for (const row of rows as Row[]) row.title = "hidden";
    });
    service.before("READ", "Authors", (req) => void (req as ServiceRequest).query);
  };
  for (const database of Object.values(ENGINES)) {
    const shop = await openShop({ register, database });
    try {
      for (
        const url of ["Books?$orderby=title&$select=ID", "Books?$orderby=title", "Authors?$orderby=name desc"]
      ) {
        const whole = await read(shop, encodeURI(url));
        assert.deepEqual(
          (await readPages(shop, encodeURI(url), 1)).flatMap(({ value }) => value),
          whole.value,
        );
      }
    } finally {
      await shop.close();
    }
  }
});
