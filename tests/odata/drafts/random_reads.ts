/**
 * Random URLs that read entities with drafts: whatever may lead from one row to another one.
 *
 * @module
 */

import fc from "fast-check";

/** Navigation properties and values of an entity. */
interface Shape {
  readonly one: Readonly<Record<string, string>>;
  readonly many: Readonly<Record<string, string>>;
  readonly texts: readonly string[];
  readonly numbers: readonly string[];
  readonly hasDrafts: boolean;
}

/** The entities of the model `DRAFTS_CDL`. */
const SHAPES: Readonly<Record<string, Shape>> = {
  Orders: {
    one: { SiblingEntity: "Orders", vault: "Vaults" },
    many: { items: "Items" },
    texts: ["title", "note"],
    numbers: ["price", "twice"],
    hasDrafts: true,
  },
  Items: {
    one: { SiblingEntity: "Items", order: "Orders" },
    many: { remarks: "Remarks" },
    texts: ["label"],
    numbers: ["amount"],
    hasDrafts: true,
  },
  Remarks: {
    one: { SiblingEntity: "Remarks", item: "Items" },
    many: {},
    texts: ["text"],
    numbers: [],
    hasDrafts: true,
  },
  Visits: {
    one: { order: "Orders", item: "Items" },
    many: {},
    texts: ["place"],
    numbers: ["stars"],
    hasDrafts: false,
  },
  Vaults: { one: {}, many: {}, texts: ["code"], numbers: ["worth"], hasDrafts: false },
};

/** The model of the tests: of `Orders`, their parts and `Vaults` users see the own ones, in drafts as elsewhere. */
export const DRAFTS_CDL = `
  context my {
    entity Orders { key ID : Integer; title : String(40); note : String(40); price : Integer; owner : String(20);
      twice : Integer = price * 2; vault : Association to Vaults;
      items : Composition of many Items on items.order = $self; }
    entity Items { key ID : Integer; order : Association to Orders; label : String(40); amount : Integer;
      remarks : Composition of many Remarks on remarks.item = $self; }
    entity Remarks { key ID : Integer; item : Association to Items; text : String(40); }
    entity Visits { key ID : Integer; place : String(40); stars : Integer; order : Association to Orders;
      item : Association to Items; }
    entity Vaults { key ID : Integer; code : String(40); worth : Integer; owner : String(20); }
  }
  service Shop {
    @odata.draft.enabled @restrict: [{ grant: '*', where: (owner = $user or owner = 'all') }]
    entity Orders as projection on my.Orders actions { function weight() returns Integer; };
    entity Items as projection on my.Items;
    entity Remarks as projection on my.Remarks;
    entity Visits as projection on my.Visits;
    @restrict: [{ grant: 'READ', where: (owner = $user) }]
    entity Vaults as projection on my.Vaults;
  }`;

/** Numbers that decide, one after the other; behind the last one it is always the first choice. */
class Decisions {
  #at = 0;
  constructor(private readonly numbers: readonly number[]) {}
  below(limit: number): number {
    return (this.numbers[this.#at++] ?? 0) % limit;
  }
  of<T>(values: readonly T[]): T {
    return values[this.below(values.length)]!;
  }
  often(percent: number): boolean {
    return this.below(100) >= 100 - percent;
  }
}

/** A URL below the service root. */
export const randomRead: fc.Arbitrary<string> = fc.noBias(
  fc.array(fc.nat(9973), { minLength: 60, maxLength: 60 }),
).map((numbers) => urlOf(new Decisions(numbers)));

function urlOf(choose: Decisions): string {
  let entity = choose.of(["Orders", "Orders", "Items", "Remarks", "Visits", "Vaults"]);
  let path = entity;
  let isMany = true;
  for (let step = 0; step < 3; step++) {
    if (isMany) {
      if (!choose.often(60)) break;
      path += keyOf(choose, entity);
      isMany = false;
    }
    const { one, many } = SHAPES[entity]!;
    const names = [...Object.keys(one), ...Object.keys(many)];
    if (names.length === 0 || !choose.often(60)) break;
    const name = choose.of(names);
    isMany = name in many;
    entity = (one[name] ?? many[name])!;
    path += `/${name}`;
  }
  if (isMany && choose.often(12)) {
    return `${path}/$count?${optionsOf(choose, entity, ["$filter", "$search"])}`;
  }
  if (!isMany && choose.often(15)) return `${path}/${choose.of(SHAPES[entity]!.texts)}`;
  if (!isMany && entity === "Orders" && choose.often(10)) return `${path}/weight()`;
  if (!isMany && SHAPES[entity]!.hasDrafts && choose.often(8)) return `${path}/DraftAdministrativeData`;
  if (isMany && choose.often(12)) return `${path}?$apply=${applyOf(choose, entity)}`;
  const options = isMany
    ? ["$filter", "$filter", "$orderby", "$expand", "$select", "$search", "$count", "$compute", "$top"]
    : ["$expand", "$select", "$compute"];
  return `${path}?${optionsOf(choose, entity, options)}`;
}

function keyOf(choose: Decisions, entity: string): string {
  const key = 1 + choose.below(5);
  return SHAPES[entity]!.hasDrafts
    ? `(ID=${key},IsActiveEntity=${choose.of(["true", "false"])})`
    : `(${key})`;
}

function optionsOf(choose: Decisions, entity: string, names: readonly string[], depth = 0): string {
  const chosen = new Set(Array.from({ length: 1 + choose.below(3) }, () => choose.of(names)));
  return [...chosen].map((name) => `${name}=${optionOf(choose, entity, { name, depth })}`).join(
    depth > 0 ? ";" : "&",
  );
}

function optionOf(
  choose: Decisions,
  entity: string,
  { name, depth }: { readonly name: string; readonly depth: number },
): string {
  const shape = SHAPES[entity]!;
  switch (name) {
    case "$filter":
      return conditionOf(choose, entity, 2);
    case "$orderby":
      return `${valueOf(choose, entity)} ${choose.of(["asc", "desc"])}`;
    case "$select":
      return choose.of([shape.texts[0]!, shape.hasDrafts ? "IsActiveEntity,HasDraftEntity" : "ID", "*"]);
    case "$search":
      return choose.of(["secret", "other", "first"]);
    case "$count":
      return "true";
    case "$top":
      return String(1 + choose.below(3));
    case "$compute":
      return `${valueOf(choose, entity)} as computed${depth}`;
    default: {
      const targets = { ...shape.one, ...shape.many };
      const names = [...Object.keys(targets), ...(shape.hasDrafts ? ["DraftAdministrativeData"] : [])];
      if (names.length === 0) return "*";
      const property = choose.of(names);
      const target = targets[property];
      if (!target || depth > 1 || choose.often(30)) return property;
      const inner = property in shape.many
        ? ["$filter", "$orderby", "$expand", "$select", "$count"]
        : ["$expand", "$select"];
      return `${property}(${optionsOf(choose, target, inner, depth + 1)})`;
    }
  }
}

/** A path along associations to one. */
function pathOf(choose: Decisions, entity: string): { readonly path: string; readonly entity: string } {
  let path = "";
  for (let step = 0; step < 3 && choose.often(45); step++) {
    const { one } = SHAPES[entity]!;
    if (Object.keys(one).length === 0) break;
    const name = choose.of(Object.keys(one));
    path += `${name}/`;
    entity = one[name]!;
  }
  return { path, entity };
}

function valueOf(choose: Decisions, from: string): string {
  const { path, entity } = pathOf(choose, from);
  const { texts, numbers, hasDrafts } = SHAPES[entity]!;
  const flags = hasDrafts
    ? ["IsActiveEntity", "HasActiveEntity", "HasDraftEntity", "DraftAdministrativeData/CreatedByUser"]
    : [];
  return path + choose.of([...texts, ...numbers, ...flags]);
}

function conditionOf(choose: Decisions, from: string, depth: number): string {
  if (depth > 0 && choose.often(40)) {
    const [left, right] = [conditionOf(choose, from, depth - 1), conditionOf(choose, from, depth - 1)];
    return choose.of([`(${left}) and (${right})`, `(${left}) or (${right})`, `not (${left})`]);
  }
  const { path, entity } = pathOf(choose, from);
  const { texts, numbers, many, hasDrafts } = SHAPES[entity]!;
  const [part] = Object.keys(many);
  if (part && choose.often(25)) {
    const inner = conditionOf(choose, many[part]!, 0).replaceAll(/\b([A-Za-z]+)(?=\/| eq| ne| gt)/g, "$1");
    // without the variable a name is one of the entity that the condition is about
    const outer = choose.often(40) ? ` ${choose.of(["and", "or"])} (${conditionOf(choose, from, 0)})` : "";
    return `${path}${part}/${choose.of(["any", "all"])}(x:${prefixed(inner)}${outer})`;
  }
  const flag = () =>
    path + choose.of([
      "IsActiveEntity eq false",
      "IsActiveEntity eq true",
      "IsActiveEntity eq null",
      "HasDraftEntity eq true",
      "HasActiveEntity eq true",
      "DraftAdministrativeData/InProcessByUser ne ''",
      "DraftAdministrativeData/CreatedByUser eq 'ben'",
    ]);
  if (hasDrafts && choose.often(45)) return flag();
  if (numbers.length > 0 && choose.often(50)) {
    return `${path}${choose.of(numbers)} ${choose.of(["gt", "eq", "ne"])} ${choose.of([5, 500, 1000])}`;
  }
  const text = path + choose.of(texts);
  return choose.of([
    `contains(${text},'secret')`,
    `startswith(${text},'other')`,
    `${text} eq 'secret'`,
    `${text} ne null`,
  ]);
}

/** A condition on the variable of a lambda expression. */
function prefixed(condition: string): string {
  return condition.replace(/^(contains\(|startswith\()?/, (start) => `${start}x/`);
}

function applyOf(choose: Decisions, entity: string): string {
  const { numbers, texts, hasDrafts } = SHAPES[entity]!;
  const aggregates = numbers.length > 0
    ? [`${numbers[0]} with sum as total`, `${numbers[0]} with max as most`, "$count as n"]
    : ["$count as n"];
  const condition = hasDrafts && choose.often(30)
    ? "IsActiveEntity eq false or SiblingEntity/IsActiveEntity eq null"
    : conditionOf(choose, entity, 1);
  const start = choose.often(70) ? `filter(${condition})/` : "";
  const aggregate = `aggregate(${choose.of(aggregates)})`;
  const by = choose.of([texts[0]!, valueOf(choose, entity)]);
  return start + choose.of([
    aggregate,
    `groupby((${by}),${aggregate})`,
    `groupby((${by}))`,
    `groupby((${by}),aggregate($count as n))/filter(n gt 1)`,
    `groupby((${by}),aggregate($count as n))/aggregate(n with sum as most)`,
    `concat(${aggregate},groupby((${texts[0]})))`,
    `topcount(1,${numbers[0] ?? texts[0]})/${aggregate}`,
  ]);
}
