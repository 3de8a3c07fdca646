/**
 * The models of a world as CDL.
 *
 * @module
 */

import { derivedCdl } from "./derived.ts";
import type { Association, Condition, Privilege, Restriction, Table, Value, View, World } from "./world.ts";

/** The model with projections; without its restrictions it is open to everybody. */
export function layeredCdl(world: World, isRestricted: boolean): string {
  const tables = world.tables.filter(({ form }) => form !== "inline").map((table) => {
    const annotations = isRestricted ? annotationsOf(table.restriction) : "";
    const autoexpose = table.form === "code list" ? "@cds.autoexpose " : "";
    return `  ${annotations}${autoexpose}entity ${table.name} { ${elementsOf(world, table).join(" ")} }`;
  });
  const views = world.views.filter(({ isExposed }) => isExposed).map((view) =>
    `  ${isRestricted ? annotationsOf(view.restriction) : ""}${hierarchyOf(view)}${
      view.derived ? derivedCdl(view.name, view.derived) : projection(view, isRestricted)
    }`
  );
  const requires = isRestricted ? annotationsOf({ requires: world.requires }) : "";
  return `context my {\n${tables.join("\n")}\n}\n${requires}@odata @hcql @mcp service S {\n${
    views.join("\n")
  }\n}\n`;
}

/** Every entity of the service with rows of its own. */
export function flatCdl(world: World): string {
  const entities = world.views.filter(({ table }) => formOf(world, table) !== "inline").map((view) => {
    const search = view.searched ? searchOf(view.searched) : "";
    const readonly = formOf(world, view.table) === "code list" ? "@readonly " : "";
    return `  ${search}${readonly}${hierarchyOf(view)}entity ${view.name} { ${
      flatElements(world, view).join(" ")
    } }`;
  });
  return `@odata @hcql @mcp service S {\n${entities.join("\n")}\n}\n`;
}

/** The association that makes a tree of the rows of a view. */
export function parentOf({ name, keys, isExposed, associations }: View): Association | undefined {
  if (!isExposed || keys.join() !== "ID") return undefined;
  return associations.find(({ target, many }) => target === name && !many);
}

function hierarchyOf(view: View): string {
  const parent = parentOf(view)?.name;
  return parent === undefined
    ? ""
    : `@Aggregation.RecursiveHierarchy #Tree: { NodeProperty: ID, ParentNavigationProperty: ${parent} } `;
}

function formOf({ tables }: World, name: string): Table["form"] {
  return tables.find((table) => table.name === name)!.form;
}

function elementsOf(world: World, table: Table): string[] {
  const struct = table.struct ? ["adr { city: String; };"] : [];
  const localized = table.localized ? ["t: localized String;"] : [];
  return [
    "key ID: Integer; a: String; b: String; n: Integer; calc: Integer = n + 1;",
    ...localized,
    ...struct,
    ...table.associations.map((one) => associationOf(world, one, (back) => `${one.name}.${back} = $self`)),
  ];
}

function associationOf(world: World, one: Association, link: (back: string) => string): string {
  const { name, target, many, composition, own, other } = one;
  const kind = `${composition ? "Composition" : "Association"} ${many ? "of many" : "to"}`
    .replace("Association of", "Association to");
  if (formOf(world, tableOf(world, target)) === "inline") {
    return `${name}: ${kind} { key no: Integer; text: String; };`;
  }
  if (own === `${name}_ID`) return `${name}: ${kind} ${target};`;
  if (!many) return `${name}: ${kind} ${target} on ${name}.${other} = ${own};`;
  return `${name}: ${kind} ${target} on ${link(other.replace(/_ID$/, ""))};`;
}

function tableOf({ views }: World, view: string): string {
  return views.find(({ name }) => name === view)!.table;
}

function flatElements(world: World, view: View): string[] {
  const plain = [...view.texts, ...view.numbers].filter((name) => name !== "ID" && name !== "t");
  return [
    "key ID: Integer;",
    ...plain.map((name) => `${name}: ${view.texts.includes(name) ? "String" : "Integer"};`),
    ...(view.texts.includes("t") ? ["t: localized String;"] : []),
    ...view.associations.map((one) => flatAssociation(world, one)),
  ];
}

/** Joined always: a path through a reference to a missing row is null, also one to its key. */
function flatAssociation(world: World, one: Association): string {
  const { name, target, many, own, other } = one;
  if (formOf(world, tableOf(world, target)) === "inline") return associationOf(world, one, () => "");
  return `${name}: Association to ${many ? "many " : ""}${target} on ${name}.${other} = ${own};`;
}

function projection(view: View, isRestricted: boolean): string {
  const search = view.searched ? searchOf(view.searched) : "";
  const touch = view.touch
    ? ` actions { ${isRestricted ? annotationsOf(view.touch) : ""}action touch() returns String; }`
    : "";
  const path = view.path ? `, ${view.path.via.name}.${view.path.element} as path1` : "";
  const isFurther = view.name !== view.table;
  const own = [...view.keys, ...view.texts, ...view.numbers].filter((name) =>
    name !== "path1" && !/^o\w*_ID$/.test(name)
  );
  const names = [...new Set(own), ...view.associations.map(({ name }) => name)];
  const columns = isFurther ? `{ ${names.join(", ")} }` : path ? `{ *${path} }` : "";
  const excluding = !isFurther && view.excluded.length > 0
    ? ` excluding { ${view.excluded.join(", ")} }`
    : "";
  const redirection = isFurther ? "@cds.redirection.target: false " : "";
  const rest = columns === "" && excluding === "" ? "" : ` ${columns === "" ? "" : columns}${excluding}`;
  return `${redirection}${search}entity ${view.name} as projection on my.${view.table}${rest}${touch};`;
}

function searchOf(paths: readonly string[]): string {
  return `@cds.search: { ${paths.join(", ")} } `;
}

function annotationsOf({ requires, restrict }: Restriction = {}): string {
  const parts: string[] = [];
  if (requires) parts.push(`@requires: ${namesOf(requires)}`);
  if (restrict) parts.push(`@restrict: [${restrict.map(privilegeOf).join(", ")}]`);
  return parts.map((part) => `${part} `).join("");
}

function privilegeOf({ grant, to, where, isText }: Privilege): string {
  const members: string[] = [];
  if (grant) members.push(`grant: ${namesOf(grant)}`);
  if (to) members.push(`to: ${namesOf(to)}`);
  if (where) {
    const text = conditionText(where);
    members.push(isText ? `where: '${text.replaceAll("'", "''")}'` : `where: (${text})`);
  }
  return `{ ${members.join(", ")} }`;
}

function namesOf(names: readonly string[]): string {
  return names.length === 1 ? `'${names[0]}'` : `[${names.map((name) => `'${name}'`).join(", ")}]`;
}

function conditionText(condition: Condition): string {
  switch (condition.kind) {
    case "compare": {
      const { path, operator, value, isReversed } = condition;
      const [left, right] = [path.join("."), valueText(value)];
      return isReversed ? `${right} ${operator} ${left}` : `${left} ${operator} ${right}`;
    }
    case "null":
      return `${condition.path.join(".")} is ${condition.isNegated ? "not " : ""}null`;
    case "lacks":
      return `$user.${condition.attr} is ${condition.isNegated ? "not " : ""}null`;
    case "exists": {
      const { path, inner, isNegated } = condition;
      return `${isNegated ? "not " : ""}exists ${path.join(".")}${inner ? `[${conditionText(inner)}]` : ""}`;
    }
    case "join":
      return condition.sides.map((side) => `(${conditionText(side)})`).join(` ${condition.operator} `);
    case "not":
      return `not (${conditionText(condition.of)})`;
  }
}

function valueText(value: Value): string {
  if ("user" in value) return "$user";
  if ("attr" in value) return `$user.${value.attr}`;
  return typeof value.val === "string" ? `'${value.val}'` : String(value.val);
}
