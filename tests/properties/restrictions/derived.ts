/**
 * Views that show something else than the rows of one table: their models, and their rows by brute force.
 *
 * @module
 */

import type { Choices } from "./choices.ts";
import type { Association, Row, Table, View } from "./world.ts";

const KINDS = [
  ...["renamed", "constant", "renamed", "inner join", "left join", "turned join", "union", "from", "column"],
  ...["in", "path", "path condition", "exists", "view"],
] as const;

/** How a view reads one or two sources. */
export interface Derived {
  readonly kind: typeof KINDS[number];
  /** Name of a table, or of another derived view. */
  readonly first: string;
  /** Name of a table. */
  readonly second: string;
  /** The association of paths. */
  readonly via?: Association;
}

/** How a source is read: its rows are those of the view, or it is looked at only. */
export type Reading = "rows" | "look";

/** The rows of a source. */
export type RowsOf = (source: string, reading: Reading) => readonly Row[];

/**
 * Views over tables and over each other.
 *
 * @param choices random decisions
 * @param tables the tables of the model
 */
export function derivedViews(choices: Choices, tables: readonly Table[]): readonly View[] {
  const plain = tables.filter(({ form }) => form === "plain");
  const views: View[] = [];
  const count = choices.int(4);
  for (let index = 0; index < count; index++) {
    const [first, second] = [choices.pick(plain), choices.pick(plain)];
    const kind = choices.pick(KINDS);
    const isMany = kind === "exists";
    const via = first.associations.find(({ many, own, composition }) =>
      many === isMany && !composition && (isMany || own.startsWith("o"))
    );
    const other = kind === "view" ? views.at(-1)?.name : undefined;
    const isPath = kind === "path" || kind === "path condition" || kind === "exists";
    if ((isPath && !via) || (kind === "view" && !other)) continue;
    const derived: Derived = {
      kind,
      first: other ?? first.name,
      second: isPath ? via!.target : second.name,
      ...(isPath ? { via } : {}),
    };
    views.push({
      ...{ name: `D${index}`, table: first.name, keys: ["ID"], texts: ["a", "b"], numbers: ["n", "ID"] },
      ...{ associations: [], excluded: [], isExposed: true, derived },
    });
  }
  return views;
}

/** Whether rows can be written through a view: it shows those of one table. */
export function isWritten({ derived }: View): boolean {
  return derived === undefined || derived.kind === "renamed";
}

/** The sources of a view, and how it reads them. */
export function sourcesOf({ kind, first, second }: Derived): readonly (readonly [string, Reading])[] {
  switch (kind) {
    case "renamed":
    case "constant":
    case "view":
      return [[first, "rows"]];
    case "from":
      return [[second, "rows"]];
    case "column":
    case "in":
    case "path":
    case "path condition":
    case "exists":
      return [[first, "rows"], [second, "look"]];
    default:
      return [[first, "rows"], [second, "rows"]];
  }
}

/**
 * The definition of a view.
 *
 * @param name its name
 * @param derived how it reads
 */
export function derivedCdl(name: string, { kind, first, second, via }: Derived): string {
  const [l, r] = [`my.${first}`, `my.${second}`];
  const own = "key ID, a, b, n";
  const joined = "{ key l.ID, l.a, r.a as b, r.n }";
  const bodies: Readonly<Record<Derived["kind"], string>> = {
    renamed: `projection on ${l} { key ID, b as a, a as b, n }`,
    constant: `projection on ${l} { key ID, 'x' as a : String, a as b, n }`,
    view: `projection on ${first} { key ID, b as a, a as b, n }`,
    "inner join": `select from ${l} as l inner join ${r} as r on l.n = r.ID ${joined}`,
    "turned join": `select from ${r} as r inner join ${l} as l on l.n = r.ID ${joined}`,
    "left join": `select from ${l} as l left join ${r} as r on l.n = r.ID ${joined}`,
    union: `select from ${l} { ${own} } union all select from ${r} { key ID + 100 as ID : Integer, a, b, n }`,
    from: `select from (select from ${r} { ID, a, n } where n > 1) as q { key q.ID, q.a, q.a as b, q.n }`,
    column: `select from ${l} { key ID, a, (select max(a) as m from ${r}) as b : String, n }`,
    in: `select from ${l} { ${own} } where n in (select ID from ${r})`,
    path: `select from ${l} { key ID, a, ${via?.name}.a as b, n }`,
    "path condition": `select from ${l} { ${own} } where ${via?.name}.a = 'x'`,
    exists: `select from ${l} { ${own} } where exists ${via?.name}[a = 'x']`,
  };
  return `@cds.redirection.target: false entity ${name} as ${bodies[kind]};`;
}

/**
 * The rows of a view.
 *
 * @param derived how it reads
 * @param rowsOf gives the rows of its sources
 */
export function derivedRows({ kind, first, second, via }: Derived, rowsOf: RowsOf): readonly Row[] {
  const look = () => rowsOf(second, "look");
  const rows = kind === "from" ? rowsOf(second, "rows") : rowsOf(first, "rows");
  const plain = rows.map(({ ID, a, b, n }): Row => ({ ID: ID!, a: a!, b: b!, n: n! }));
  const linked = (row: Row) => look().filter((one) => one[via!.other] === row[via!.own]);
  switch (kind) {
    case "renamed":
    case "view":
      return plain.map(({ ID, a, b, n }) => ({ ID: ID!, a: b!, b: a!, n: n! }));
    case "constant":
      return plain.map(({ ID, a, n }) => ({ ID: ID!, a: "x", b: a!, n: n! }));
    case "inner join":
    case "turned join":
    case "left join":
      return plain.flatMap(({ ID, a, n }) => {
        const other = rowsOf(second, "rows").find((one) => one.ID === n);
        if (!other && kind !== "left join") return [];
        return [{ ID: ID!, a: a!, b: other?.a ?? null, n: other?.n ?? null }];
      });
    case "union":
      return [
        ...plain,
        ...rowsOf(second, "rows").map(({ ID, a, b, n }) => ({ ID: Number(ID) + 100, a: a!, b: b!, n: n! })),
      ];
    case "from":
      return plain.filter(({ n }) => n !== null && Number(n) > 1).map((row) => ({ ...row, b: row.a! }));
    case "column": {
      const texts = look().map(({ a }) => a).filter((a) => a !== null).sort();
      return plain.map((row) => ({ ...row, b: texts.at(-1) ?? null }));
    }
    case "in":
      return plain.filter(({ n }) => look().some(({ ID }) => ID === n));
    case "path":
      return rows.map((row) => ({ ID: row.ID!, a: row.a!, b: linked(row)[0]?.a ?? null, n: row.n! }));
    case "path condition":
    case "exists":
      return plain.filter((_, index) => linked(rows[index]!).some(({ a }) => a === "x"));
  }
}
