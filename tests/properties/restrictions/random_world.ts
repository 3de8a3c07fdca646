/**
 * Random models with restrictions, rows and users.
 *
 * @module
 */

import type { Choices } from "./choices.ts";
import { derivedViews } from "./derived.ts";
import { partRestriction, randomRestriction, randomTouch } from "./random_restriction.ts";
import type { Association, Caller, Restriction, Row, Table, View, World } from "./world.ts";

const TEXTS = ["x", "y", null, "z", "X", "x ", "x"] as const;
/** Ids in rows go up to this number. */
const MAX_ID = 6;
const IDS = Array.from({ length: MAX_ID }, (_, index) => index + 1);

type Draft = { -readonly [K in keyof Table]: Table[K] } & { associations: Association[] };

/** A case made of random decisions. */
export function randomWorld(choices: Choices): World {
  const tables = randomTables(choices);
  const open = { tables, views: tables.map((table) => viewOfTable(choices, table)) };
  const views = [...open.views];
  for (const table of tables) {
    if (table.form === "plain" && choices.chance(25)) views.push(furtherView(table));
  }
  views.push(...derivedViews(choices, tables));
  const restricted: World = { tables, views, rows: {}, caller: randomCaller(choices) };
  for (const table of tables) {
    const isCandidate = table.form === "plain" || table.form === "code list" || table.form === "child";
    if (!isCandidate || !choices.chance(table.form === "code list" ? 60 : 20)) continue;
    Object.assign(table, { restriction: randomRestriction(choices, restricted, { table }) });
  }
  const annotated = views.map((view) => ({
    ...view,
    ...(view.isExposed && choices.chance(view.derived ? 15 : 65)
      ? { restriction: viewRestriction(choices, restricted, view) }
      : {}),
    ...(hasTouch(view) ? { touch: choices.chance(50) ? randomTouch(choices, restricted, view) : {} } : {}),
  }));
  const requires = choices.pick([undefined, undefined, ["any"], ["authenticated-user"], ["r1"], [
    "r1",
    "any",
  ]]);
  return {
    tables,
    // A part that carries a restriction stands for itself.
    views: annotated.map((view) => ({
      ...view,
      authority: tables.find(({ name }) => name === view.table)?.restriction ? undefined : view.authority,
    })),
    rows: randomRows(choices, tables),
    caller: restricted.caller,
    ...(requires ? { requires } : {}),
  };
}

/** Grants may name its action. */
function hasTouch({ isExposed, name, table }: View): boolean {
  return isExposed && name === table;
}

function viewRestriction(choices: Choices, world: World, view: View): Restriction {
  const isPart = view.name.startsWith("K");
  return isPart && choices.chance(50)
    ? partRestriction(choices)
    : randomRestriction(choices, world, { view });
}

function randomTables(choices: Choices): Draft[] {
  const count = 2 + choices.int(3);
  const tables = Array.from({ length: count }, (_, index): Draft => ({
    name: `E${index}`,
    form: index > 1 && choices.chance(25) ? "code list" : "plain",
    localized: choices.chance(30),
    struct: choices.chance(30),
    associations: [],
  }));
  for (const table of [...tables]) {
    for (let index = 0; index < 2; index++) if (choices.chance(70)) addAssociation(choices, tables, table);
    if (choices.chance(25)) {
      const target = choices.pick(tables.filter(({ parent }) => !parent)).name;
      table.associations.push({ ...PLAIN, name: "u1", target, own: "n", other: "ID" });
    }
    if (table.form === "plain" && choices.chance(50)) addChildren(choices, tables, table);
  }
  return tables;
}

const PLAIN = { many: false, composition: false };

function addAssociation(choices: Choices, tables: readonly Draft[], table: Draft): void {
  const target = addReference(choices, tables, table);
  if (!choices.chance(70)) return;
  const { name } = table.associations.at(-1)!;
  const many = { many: true, composition: false, own: "ID", other: `${name}_ID` };
  target.associations.push({ ...many, name: `m${table.name}${name}`, target: table.name });
}

/** An association to one that is not a part. */
function addReference(choices: Choices, tables: readonly Draft[], table: Draft): Draft {
  const target = choices.pick(tables.filter(({ parent }) => !parent));
  const name = `o${table.associations.filter(({ own }) => own.startsWith("o")).length}`;
  table.associations.push({ ...PLAIN, name, target: target.name, own: `${name}_ID`, other: "ID" });
  return target;
}

function addChildren(choices: Choices, tables: Draft[], table: Draft): void {
  const many = { many: true, composition: true, own: "ID" };
  if (choices.chance(60)) {
    const name = `K${table.name}`;
    table.associations.push({ ...many, name: "kids", target: name, other: "up_ID" });
    const child: Draft = {
      name,
      parent: table.name,
      form: "child",
      localized: false,
      struct: false,
      associations: [{ ...PLAIN, name: "up", target: table.name, own: "up_ID", other: "ID" }],
    };
    if (choices.chance(50)) addReference(choices, tables, child);
    tables.push(child);
    if (choices.chance(30)) addItems(tables, child);
  }
  if (choices.chance(50)) addItems(tables, table);
}

/** Parts that are written inside their whole. */
function addItems(tables: Draft[], table: Draft): void {
  const name = `${table.name}.items`;
  table.associations.push({
    ...{ name: "items", target: name, many: true, composition: true, own: "ID", other: "up__ID" },
  });
  tables.push({
    name,
    parent: table.name,
    form: "inline",
    localized: false,
    struct: false,
    associations: [{ ...PLAIN, name: "up_", target: table.name, own: "up__ID", other: "ID" }],
  });
}

function viewOfTable(choices: Choices, table: Table): View {
  const { name, form, associations, parent } = table;
  if (form === "inline") {
    const numbers = ["no"];
    return {
      ...{ name, table: name, keys: ["up__ID", "no"], texts: ["text"], numbers, associations, excluded: [] },
      isExposed: false,
      authority: parent,
    };
  }
  const isExposed = form === "plain" || (form === "child" && choices.chance(60));
  const excluded = isExposed && choices.chance(20) ? ["b"] : [];
  const [via] = associations.filter(({ many, own }) => !many && own.startsWith("o"));
  const path = isExposed && via && choices.chance(25)
    ? { via, element: choices.pick(["a", "n"]) }
    : undefined;
  const texts = ["a", "b", ...(table.localized ? ["t"] : []), ...(table.struct ? ["adr_city"] : [])]
    .filter((one) => !excluded.includes(one));
  const numbers = [
    "n",
    "ID",
    "calc",
    ...associations.map(({ own }) => own).filter((own) => own.endsWith("_ID")),
  ];
  const searched = isExposed && via && choices.chance(25) ? ["a", `${via.name}.a`] : undefined;
  return {
    ...{ name, table: name, keys: ["ID"], associations, excluded, isExposed },
    texts: path?.element === "a" ? [...texts, "path1"] : texts,
    numbers: path?.element === "n" ? [...numbers, "path1"] : numbers,
    ...(path ? { path } : {}),
    ...(searched ? { searched } : {}),
    ...(!isExposed && parent ? { authority: parent } : {}),
  };
}

/** A second projection of a table, with fewer elements. */
function furtherView(table: Table): View {
  const associations = table.associations.filter(({ composition }) => !composition);
  const keys = associations.map(({ own }) => own).filter((own) => own.startsWith("o"));
  return {
    name: `${table.name}b`,
    table: table.name,
    keys: ["ID"],
    texts: ["a"],
    numbers: ["n", "ID", ...keys],
    associations,
    excluded: ["b", "calc"],
    isExposed: true,
  };
}

function randomCaller(choices: Choices): Caller | undefined {
  const attribute = () => choices.pick<unknown>(["x", ["x"], ["x", "y"], undefined, [], ["z", "X"], null]);
  const roles = choices.pick([["r1"], ["r1", "r2"], ["r1"], [], ["r2"]]);
  const attr = Object.fromEntries(
    ["p", "q"].map((name) => [name, attribute()] as const).filter(([, value]) => value !== undefined),
  );
  return choices.chance(8) ? undefined : { id: choices.pick(["x", "alice", "y"]), roles, attr };
}

function randomRows(choices: Choices, tables: readonly Table[]): Record<string, Row[]> {
  const rows: Record<string, Row[]> = {};
  const ids = new Map(tables.map(({ name }) => [name, IDS.filter(() => !choices.chance(20))]));
  for (const table of tables) {
    if (table.form !== "inline") {
      rows[table.name] = ids.get(table.name)!.map((ID) => randomRow(choices, { table, ID, ids }));
    }
  }
  for (const { name, parent, form } of tables) {
    if (form !== "inline") continue;
    rows[name] = rows[parent!]!.flatMap((owner) =>
      Array.from({ length: choices.int(3) }, (_, no): Row => ({
        up__ID: owner.ID!,
        no,
        text: choices.pick(TEXTS),
      }))
    );
  }
  for (const { name, localized } of tables) {
    if (!localized) continue;
    rows[`${name}.texts`] = choices.some(rows[name]!, 50)
      .map(({ ID }): Row => ({ locale: "de", ID: ID!, t: choices.pick(TEXTS) }));
  }
  return rows;
}

interface NewRow {
  readonly table: Table;
  readonly ID: number;
  /** References lead to rows that exist. */
  readonly ids: ReadonlyMap<string, readonly number[]>;
}

function randomRow(choices: Choices, { table, ID, ids }: NewRow): Row {
  const row: Row = { ID, a: choices.pick(TEXTS), b: choices.pick(TEXTS), n: choices.int(MAX_ID + 2) };
  if (choices.chance(15)) row.n = null;
  if (table.localized) row.t = choices.pick(TEXTS);
  if (table.struct) row.adr_city = choices.pick(TEXTS);
  for (const { own, target } of table.associations) {
    if (own.endsWith("_ID")) row[own] = choices.chance(15) ? null : choices.pick(ids.get(target)!) ?? null;
  }
  return row;
}
