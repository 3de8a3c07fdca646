import assert from "node:assert/strict";
import { planned } from "../fleet.ts";

/** What URLs are planned as. */
const PLANS: Readonly<Record<string, readonly string[]>> = {
  "Cars?$select=ID&$filter=colour eq 'Red' or colour eq 2 or colour eq S.Colour'Blue'": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } where colour = 1 or colour = 2 or colour = 2 order by ID asc",
    "rows: S.Cars select ID",
  ],
  "Cars?$select=ID&$filter=colour eq 'Nope'": [
    "400 'Nope' is not a value of type Integer (offset 34)",
  ],
  "Cars?$select=ID&$filter=colour eq 'Red,Blue'": [
    "400 'Red,Blue' is not a value of type Integer (offset 34)",
  ],
  "Cars?$select=ID&$filter=colour eq 1.5": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } where colour = cast(1.5, cds.Decimal) order by ID asc",
    "rows: S.Cars select ID",
  ],
  "Cars?$select=ID&$filter=marks eq 'Old,Rare' or marks eq 3": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } where marks = 5 or marks = 3 order by ID asc",
    "rows: S.Cars select ID",
  ],
  "Cars?$select=ID&$filter=marks has 'Old,Rare'": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } where mod(div(marks, 1), 2) = 1 and mod(div(marks, 4), 2) = 1 order by ID asc",
    "rows: S.Cars select ID",
  ],
  "Cars?$select=ID&$filter=marks has S.Marks'Fast'": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } where mod(div(marks, 2), 2) = 1 order by ID asc",
    "rows: S.Cars select ID",
  ],
  "Cars?$select=ID&$filter=size eq S.Size'Small' or size eq S.Size'Large' or size eq 'S'": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } where size = 'S' or size = 'Large' or size = 'S' order by ID asc",
    "rows: S.Cars select ID",
  ],
  "Cars?$select=ID&$filter=size eq S.Size'Nope'": [
    "400 S.Size'Nope' is not a value of type String (offset 32)",
  ],
  "Cars?$select=ID&$filter=size eq S.Size'12'": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } where size = '12' order by ID asc",
    "rows: S.Cars select ID",
  ],
  "Cars?$select=ID&$filter=name eq S.Size'Small'": [
    "400 S.Size'Small' is not a value of type String (offset 32)",
  ],
  "Cars?$select=ID&$filter=colour in ('Red',2)": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } where colour in (1, 2) order by ID asc",
    "rows: S.Cars select ID",
  ],
  "Cars?$select=ID&$filter=took gt duration'PT1H' or took lt 'P1D'": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } where took > '3600' or took < '86400' order by ID asc",
    "rows: S.Cars select ID",
  ],
  "Cars?$select=ID&$filter=took eq 5": [
    "400 5 is not a value of type Decimal (offset 32)",
  ],
  "Cars?$select=ID&$filter=short eq 0.1 or short eq 1 or short eq '2.5'": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } where short = 0.1 or short = 1 or short = 2.5 order by ID asc",
    "rows: S.Cars select ID",
  ],
  "Cars?$select=ID&$filter=short eq 'x'": [
    "400 'x' is not a value of type Double (offset 33)",
  ],
  "Cars?$select=ID&$filter=weight eq 1e400": [
    "400 1e400 is not a value of type Double (offset 34)",
  ],
  "Cars?$select=ID&$filter=weight eq INF or weight eq -INF": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } where weight = Infinity or weight = -Infinity order by ID asc",
    "rows: S.Cars select ID",
  ],
  "Cars?$select=ID&$filter=weight eq NaN": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } where weight = NaN order by ID asc",
    "rows: S.Cars select ID",
  ],
  "Cars?$select=ID&$filter=weight eq '1.5' or weight eq 9007199254740993": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } where weight = 1.5 or weight = 9007199254740992 order by ID asc",
    "rows: S.Cars select ID",
  ],
  "Cars?$select=ID&$filter=whole eq 9007199254740993 or whole eq 5.0 or whole eq 5.5 or whole eq '7'": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } where whole = 9007199254740993n or whole = cast(5, cds.Decimal) or whole = cast(5.5, cds.Decimal) or whole = 7 order by ID asc",
    "rows: S.Cars select ID",
  ],
  "Cars?$select=ID&$filter=whole eq 9223372036854775808": [
    "400 9223372036854775808 is not a value of type Int64 (offset 33)",
  ],
  "Cars?$select=ID&$filter=whole eq true": [
    "400 true is not a value of type Int64 (offset 33)",
  ],
  "Cars?$select=ID&$filter=price eq 9007199254740993 or price eq 1.10 or price eq '2.5'": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } where price = '9007199254740993' or price = 1.1 or price = 2.5 order by ID asc",
    "rows: S.Cars select ID",
  ],
  "Cars?$select=ID&$filter=price eq 1e400": [
    "400 1e400 is not a value of type Decimal (offset 33)",
  ],
  "Cars?$select=ID&$filter=price eq 'INF'": [
    "400 'INF' is not a value of type Decimal (offset 33)",
  ],
  "Cars?$select=ID&$filter=ready eq 1 or ready eq 'true' or ready eq 'false' or ready eq 0": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } where ready = true or ready = true or ready = false or ready = false order by ID asc",
    "rows: S.Cars select ID",
  ],
  "Cars?$select=ID&$filter=ready eq 2": [
    "400 2 is not a value of type Boolean (offset 33)",
  ],
  "Cars?$select=ID&$filter=day eq 2024-02-29 or day eq '2024-02-29' or day eq 2024-02-29T00:00:00Z or day eq 2024-02-29T00:00Z":
    [
      "entitySet (collection); S.Cars at Cars; S.Cars",
      "SELECT from S.Cars { ID, kind } where day = '2024-02-29' or day = '2024-02-29' or day = '2024-02-29' or day = '2024-02-29' order by ID asc",
      "rows: S.Cars select ID",
    ],
  "Cars?$select=ID&$filter=day eq 2023-02-29": [
    "400 2023-02-29 is not a value of type Date (offset 31)",
  ],
  "Cars?$select=ID&$filter=day eq 2024-02-29T00:00:01Z": [
    "400 2024-02-29T00:00:01Z is not a value of type Date (offset 31)",
  ],
  "Cars?$select=ID&$filter=day eq 2024-02-29T00:00:00%2B01:00": [
    "400 2024-02-29T00:00:00+01:00 is not a value of type Date (offset 31)",
  ],
  "Cars?$select=ID&$filter=day eq 2024-02-29T00:00:00.0Z": [
    "400 2024-02-29T00:00:00.0Z is not a value of type Date (offset 31)",
  ],
  "Cars?$select=ID&$filter=clock eq 10:00 or clock eq 10:00:05 or clock eq '10:00:05'": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } where clock = '10:00:00' or clock = '10:00:05' or clock = '10:00:05' order by ID asc",
    "rows: S.Cars select ID",
  ],
  "Cars?$select=ID&$filter=clock eq 10:00:05.5": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } where 1 = 0 order by ID asc",
    "rows: S.Cars select ID",
  ],
  "Cars?$select=ID&$filter=clock lt 10:00:05.5 or 10:00:05.5 lt clock or clock ge 10:00:05.5": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } where clock <= '10:00:05' or clock > '10:00:05' or clock > '10:00:05' order by ID asc",
    "rows: S.Cars select ID",
  ],
  "Cars?$select=ID&$filter=clock eq '10:00:05.5'": [
    "400 '10:00:05.5' is not a value of type Time (offset 33)",
  ],
  "Cars?$select=ID&$filter=clock eq 10:00:05.0": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } where clock = '10:00:05' order by ID asc",
    "rows: S.Cars select ID",
  ],
  "Cars?$select=ID&$filter=at eq 2024-01-01T10:00:00.1234Z or at lt 2024-01-01T10:00:00.1234Z or at eq 2024-01-01T10:00:00.1230Z":
    [
      "entitySet (collection); S.Cars at Cars; S.Cars",
      "SELECT from S.Cars { ID, kind } where 1 = 0 or at <= '2024-01-01T10:00:00.123Z' or at = '2024-01-01T10:00:00.123Z' order by ID asc",
      "rows: S.Cars select ID",
    ],
  "Cars?$select=ID&$filter=at eq 2024-01-01 or at eq '2024-01-01T10:00Z' or at eq 2024-01-01T10:00:60Z": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } where at = '2024-01-01T00:00:00.000Z' or at = '2024-01-01T10:00:00.000Z' or at = '2024-01-01T10:00:59.000Z' order by ID asc",
    "rows: S.Cars select ID",
  ],
  "Cars?$select=ID&$filter=at eq 2023-02-29T10:00Z": [
    "400 2023-02-29T10:00Z is not a value of type Timestamp (offset 30)",
  ],
  "Cars?$select=ID&$filter=since eq 2024-01-01T10:00:00Z or since eq 2024-01-01T10:00:00.5Z or since eq 2024-01-01T10:00:00%2B02:00":
    [
      "entitySet (collection); S.Cars at Cars; S.Cars",
      "SELECT from S.Cars { ID, kind } where since = '2024-01-01T10:00:00Z' or 1 = 0 or since = '2024-01-01T08:00:00Z' order by ID asc",
      "rows: S.Cars select ID",
    ],
  "Cars?$select=ID&$filter=code eq binary'AQID' or code eq 'AQ'": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } where code = {'0':1,'1':2,'2':3} or code = {'0':1} order by ID asc",
    "rows: S.Cars select ID",
  ],
  "Cars?$select=ID&$filter=code eq 5": [
    "400 5 is not a value of type Binary (offset 32)",
  ],
  "Cars?$select=ID&$filter=guid eq 11111111-aaaa-4bbb-8ccc-222222222222 or guid eq '11111111-aaaa-4bbb-8ccc-222222222222'":
    [
      "entitySet (collection); S.Cars at Cars; S.Cars",
      "SELECT from S.Cars { ID, kind } where guid = '11111111-aaaa-4bbb-8ccc-222222222222' or guid = '11111111-aaaa-4bbb-8ccc-222222222222' order by ID asc",
      "rows: S.Cars select ID",
    ],
  "Cars?$select=ID&$filter=guid eq 'x'": [
    "400 'x' is not a value of type UUID (offset 32)",
  ],
  "Cars?$select=ID&$filter=name eq 1": [
    "400 1 is not a value of type String (offset 32)",
  ],
  "Cars?$select=ID&$filter=note eq 'x' and name eq null": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } where note = 'x' and name == null order by ID asc",
    "rows: S.Cars select ID",
  ],
  "Cars?$select=ID&$filter=tiny eq 255 or tiny eq 300": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } where tiny = 255 or tiny = 300 order by ID asc",
    "rows: S.Cars select ID",
  ],
  "Cars(1.0)": [
    "entity; S.Cars at Cars(1); S.Cars",
    "SELECT one from S.Cars[ID = 1] { all }",
    "rows: S.Cars",
  ],
  "Cars(1.5)": [
    "400 1.5 is not a value of type Integer (offset 5)",
  ],
  "Cars(99999999999)": [
    "400 99999999999 is not a value of type Integer (offset 5)",
  ],
  "Cars('1')": [
    "entity; S.Cars at Cars(1); S.Cars",
    "SELECT one from S.Cars[ID = 1] { all }",
    "rows: S.Cars",
  ],
  "Cars(true)": [
    "400 true is not a value of type Integer (offset 5)",
  ],
  "Films(null)": [
    '400 A literal is expected for the key "ID" (offset 6)',
  ],
  "People(11111111-aaaa-4bbb-8ccc-222222222222)": [
    "entity; S.People at People(11111111-aaaa-4bbb-8ccc-222222222222); S.People",
    "SELECT one from S.People[ID = '11111111-aaaa-4bbb-8ccc-222222222222']",
    "rows: S.People",
  ],
  "People('x')": [
    "entity; S.People at People(x); S.People",
    "SELECT one from S.People[ID = 'x']",
    "rows: S.People",
  ],
  "Cars?$select=ID&$filter=5 eq 9223372036854775808": [
    "400 9223372036854775808 is not a value of type Int64 (offset 29)",
  ],
  "Cars?$select=ID&$filter=2024-01-01T10:00:00Z eq 2024-01-01T11:00:00%2B01:00": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } where cast('2024-01-01T10:00:00.000Z', cds.Timestamp) = cast('2024-01-01T10:00:00.000Z', cds.Timestamp) order by ID asc",
    "rows: S.Cars select ID",
  ],
  "Cars?$select=ID&$filter=binary'AQID' eq code": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } where {'0':1,'1':2,'2':3} = code order by ID asc",
    "rows: S.Cars select ID",
  ],
  "Cars?$select=ID&$filter=marks has 'None' or marks has 6 or marks has 'Old, Rare'": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } where marks != null or (mod(div(marks, 2), 2) = 1 and mod(div(marks, 4), 2) = 1) or (mod(div(marks, 1), 2) = 1 and mod(div(marks, 4), 2) = 1) order by ID asc",
    "rows: S.Cars select ID",
  ],
  "Cars?$select=ID&$filter=marks has 4294967296": [
    "400 4294967296 is not a value of type Integer (offset 34)",
  ],
  "Cars?$select=ID&$filter=marks has null": [
    "400 A member of the enumeration is expected (offset 34)",
  ],
  "Cars?$select=ID&$filter=marks has -1": [
    "400 -1 is not a value of type Integer (offset 34)",
  ],
  "Cars?$select=ID&$filter=name has 'x'": [
    '400 The operator "has" needs an enumeration (offset 33)',
  ],
  "Cars?$select=ID&$filter=size has 'Small'": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } where size = 'S' order by ID asc",
    "rows: S.Cars select ID",
  ],
  "Cars?$select=ID&$filter=at eq 2024-01-01T10:00:00.12345Z": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } where 1 = 0 order by ID asc",
    "rows: S.Cars select ID",
  ],
  "Cars?$select=ID&$filter=price eq false": [
    "400 false is not a value of type Decimal (offset 33)",
  ],
  "Cars?$select=ID&$filter=since lt 2024-01-01T10:00:00.999Z": [
    "entitySet (collection); S.Cars at Cars; S.Cars",
    "SELECT from S.Cars { ID, kind } where since <= '2024-01-01T10:00:00Z' order by ID asc",
    "rows: S.Cars select ID",
  ],
};

Deno.test("literals stand for values of the type beside them, and are refused where they are none (URL 5.1.1)", () => {
  assert.deepEqual(planned(Object.keys(PLANS)), PLANS);
});
