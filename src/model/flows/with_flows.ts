/**
 * What flows add to a model: their statuses are read-only, and there is a place for the statuses that rows had, for transitions
 * back (`@to: $flow.previous`).
 *
 * @module
 */

import type { Xo } from "../../cqn/cqn.ts";
import { isPlainObject } from "../../util/is_plain_object.ts";
import type { Csn, CsnDefinition, CsnElement } from "../csn.ts";
import { placedLike } from "../infer/draft.ts";
import { isPrevious, TRANSITIONS } from "./flow.ts";

type Definitions = Readonly<Record<string, CsnDefinition>>;

/**
 * A model with what its flows add.
 *
 * @param csn an inferred model; it is not changed
 * @returns the same model where nothing has flows, or all is there already
 */
export function withFlows(csn: Csn): Csn {
  return withHistory(withMarkedStatuses(csn));
}

/** The element that holds the status says so itself, in drafts and views of the entity, too. */
function withMarkedStatuses(csn: Csn): Csn {
  const marked: Record<string, CsnDefinition> = {};
  for (const [name, definition] of Object.entries(csn.definitions ?? {})) {
    const given = definition["@flow.status"];
    const status = isPlainObject(given) ? given["="] : given;
    const element = typeof status === "string" ? definition.elements?.[status] : undefined;
    if (definition.kind !== "entity" || !element || element["@flow.status"] !== undefined) continue;
    const own = placedLike({ "@readonly": true, ...element, "@flow.status": true }, element);
    marked[name] = withElement(definition, status as string, own);
  }
  if (Object.keys(marked).length === 0) return csn;
  return { ...csn, definitions: { ...csn.definitions, ...marked } };
}

function withHistory(csn: Csn): Csn {
  const definitions = csn.definitions ?? {};
  const added: Record<string, CsnDefinition> = {};
  for (const [name, definition] of Object.entries(definitions)) {
    if (!goesBack(definition) || definition.elements?.[TRANSITIONS]) continue;
    const table = tableOf(definitions, name);
    if (!table) continue;
    const base = added[table.name] ?? definitions[table.name]!;
    if (!base.elements?.[TRANSITIONS]) Object.assign(added, historyOf(table.name, base));
    if (table.name === name) continue;
    const own = added[name] ?? definition;
    added[name] = withElement(own, TRANSITIONS, wayTo(table));
  }
  return Object.keys(added).length === 0 ? csn : { ...csn, definitions: { ...definitions, ...added } };
}

function withElement(definition: CsnDefinition, name: string, element: CsnElement): CsnDefinition {
  return placedLike({ ...definition, elements: { ...definition.elements, [name]: element } }, definition);
}

function goesBack({ kind, actions }: CsnDefinition): boolean {
  return kind === "entity" && Object.values(actions ?? {}).some((action) => isPrevious(action["@to"]));
}

/** The table behind an entity, and the names of its keys there and in the entity. */
interface Table {
  readonly name: string;
  readonly keys: readonly { readonly path: readonly string[]; readonly shown: readonly string[] }[];
}

function tableOf(definitions: Definitions, name: string): Table | undefined {
  const definition = definitions[name];
  const select = definition?.projection ??
    (definition?.query && "SELECT" in definition.query ? definition.query.SELECT : undefined);
  if (!definition) return undefined;
  if (!select) return { name, keys: keyPaths(definition).map((path) => ({ path, shown: path })) };
  const { from, columns = ["*"] } = select;
  if (!("ref" in from) || from.ref.length !== 1 || typeof from.ref[0] !== "string") return undefined;
  const table = tableOf(definitions, from.ref[0]);
  const keys = table?.keys.map(({ path, shown }) => {
    const column = columns.find((one) =>
      typeof one === "object" && "ref" in one && one.ref?.length === 1 && one.ref[0] === shown[0]
    );
    const as = typeof column === "object" && "as" in column ? column.as : undefined;
    return { path, shown: [String(as ?? shown[0]), ...shown.slice(1)] };
  });
  return table && keys && { name: table.name, keys };
}

function keyPaths({ elements = {} }: CsnDefinition): readonly (readonly string[])[] {
  return Object.entries(elements).filter(([, element]) => element.key && !element.virtual)
    .flatMap(([name, { keys }]) => (keys ?? [{ ref: [] }]).map(({ ref }) => [name, ...ref.map(String)]));
}

/** The table with its history beside it, which goes with the row. */
function historyOf(name: string, base: CsnDefinition): Record<string, CsnDefinition> {
  const history = `${name}.${TRANSITIONS}`;
  const keys = Object.entries(base.elements ?? {}).filter(([, element]) => element.key && !element.virtual)
    .map(([key]) => ({ ref: [key] }));
  const composition: CsnElement = {
    type: "cds.Composition",
    cardinality: { max: "*" },
    target: history,
    on: [{ ref: [TRANSITIONS, "up_"] }, "=", { ref: ["$self"] }],
  };
  return {
    [name]: withElement(base, TRANSITIONS, composition),
    [history]: {
      kind: "entity",
      "@cds.autoexpose": false,
      elements: {
        up_: { key: true, type: "cds.Association", target: name, keys, notNull: true },
        timestamp: { key: true, type: "cds.Timestamp" },
        user: { type: "cds.String", length: 255, "@cds.on.insert": { "=": "$user" } },
        status: { type: "cds.String" },
        comment: { type: "cds.String" },
      },
    },
  };
}

/** Leads from a view to the history of its table; clients do not see it. */
function wayTo({ name, keys }: Table): CsnElement {
  const on = keys.flatMap(({ path, shown }, index): Xo[] => [
    ...(index > 0 ? ["and" as const] : []),
    { ref: [TRANSITIONS, "up_", ...path] },
    "=",
    { ref: shown },
  ]);
  return {
    type: "cds.Association",
    cardinality: { max: "*" },
    target: `${name}.${TRANSITIONS}`,
    on,
    "@cds.api.ignore": true,
  };
}
