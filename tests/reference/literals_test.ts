/** The fixture `reference`: literals have the type of their form (URL 5.1.1). */

import assert from "node:assert/strict";
import { product, withReference } from "./reference.ts";

/** Conditions that compare a text with a literal of another type, and where the literal stands in them. */
const REFUSED: readonly (readonly [string, string])[] = [
  ["Name eq 1", "1"],
  ["1 eq Name", "1"],
  ["Name ne 1.5", "1.5"],
  ["Name gt 10", "10"],
  ["Name le -1", "-1"],
  ["Name eq 1e3", "1e3"],
  ["Name eq true", "true"],
  ["Name in (1,2)", "1"],
  ["Name in ('Laptop',2)", "2"],
  ["Name eq 2024-01-15", "2024"],
  ["2024-01-15 lt Name", "2024"],
  ["Name eq 2024-01-15T10:30:00Z", "2024"],
  ["Name eq 09:30:00", "09"],
  ["Name eq 00000002-0000-4000-8000-000000000001", "0000"],
  ["Name eq duration'PT1S'", "duration"],
  ["Name eq binary'AQID'", "binary"],
  ["Name eq INF", "INF"],
  ["Name eq @p&@p=1", "1"],
  ["tolower(Name) eq 1", "1"],
  ["contains(Name,1)", "1"],
  ["startswith(2024-01-01,Name)", "2024"],
  ["concat(Name,1) eq 'Laptop1'", "1"],
  ["length(1) eq 1", "1"],
  ["matchesPattern(Name,1)", "1"],
  ["Name eq case(true:1)", "1"],
  ["case(true:Name,false:1) eq 'Laptop'", "1"],
  ["case(true:1,false:Name) eq 1", "Name"],
  ["Descriptions/any(d:d/LanguageKey eq 1)", "1"],
  ["Descriptions/all(d:1 ne d/LanguageKey)", "1"],
  ["Descriptions/$count($filter=LanguageKey eq 1) eq 1", "1"],
  ["Category/Name eq 1", "1"],
  ["ShippingAddress/City eq 1", "1"],
  ["Data eq 1", "1"],
  ["ID eq 1", "1"],
  ["ReleaseDate eq 2024", "2024"],
  ["OpenTime eq 2024-01-15", "2024"],
  ["CreatedAt eq 09:30:00", "09"],
  ["Price eq 2024-01-15", "2024"],
  ["Price eq binary'MTIz'", "binary"],
  ["Rating eq duration'PT1S'", "duration"],
];

/** Other options that hold the same expressions. */
const REFUSED_OPTIONS: readonly string[] = [
  "$compute=concat(Name,1) as x&$select=x",
  "$orderby=concat(Name,1)",
  "$apply=filter(Name eq 1)",
  "$apply=compute(concat(Name,1) as x)",
  "$apply=groupby((Name),aggregate($count as n))/filter(Name eq 1)",
  "$expand=Category($filter=Name eq 1)",
  "$expand=Descriptions($filter=LanguageKey in (1))",
];

/** Literals that fit, quoted ones for values of any type among them. */
const ACCEPTED: readonly string[] = [
  "Name eq '1'",
  "Name eq null",
  "Price gt 10",
  "Price gt '10'",
  "Rating eq 200.0",
  "Quantity eq '1200'",
  "ID eq '00000002-0000-4000-8000-000000000001'",
  "ReleaseDate eq '2024-01-15'",
  "CreatedAt gt 2024-01-15",
  "OpenTime eq '09:30:00'",
  "Data eq binary'AQID'",
  "Data eq 'AQID'",
  "Status has 'InStock'",
  "contains(Name,'1')",
  "case(Price gt 10:Name,true:'cheap') eq 'cheap'",
];

Deno.test("literals of other types are no texts: they are refused with their place (URL 5.1.1)", () =>
  withReference(async (send) => {
    for (const [filter, literal] of REFUSED) {
      const { pathname, search } = new URL(`http://localhost/Products?$filter=${filter}`);
      const url = pathname.slice(1) + search;
      const { status, body } = await send("GET", url);
      assert.equal(status, 400, filter);
      const { message } = body.error;
      const offset = Number(/\(offset (\d+)\)/.exec(message)?.[1]);
      assert.ok(decodeURIComponent(url.slice(offset)).startsWith(literal), `${filter}: ${message}`);
    }
  }));

Deno.test("literals are read alike in all options (URL 5.1)", () =>
  withReference(async (send) => {
    for (const option of REFUSED_OPTIONS) {
      assert.equal((await send("GET", `Products?${option}`)).status, 400, option);
    }
    assert.equal((await send("GET", `Products/$filter(Name eq 1)`)).status, 400);
    assert.equal(
      (await send("GET", `${product(1)}/Descriptions/$count?$filter=LanguageKey eq 1`)).status,
      400,
    );
    assert.equal((await send("GET", `GetInfo(format=1)`)).status, 404);
    assert.equal((await send("GET", `${product(1)}/GetInfo(format=1)`)).status, 400);
  }));

Deno.test("quoted literals stand for values of any type (Protocol 4.01, 13.2.1, 9a)", () =>
  withReference(async (send) => {
    for (const filter of ACCEPTED) {
      const { status, body } = await send("GET", `Products?$filter=${encodeURIComponent(filter)}`);
      assert.equal(status, 200, `${filter}: ${JSON.stringify(body)}`);
    }
  }));
