/**
 * What may stand next in a URL, from the metadata.
 *
 * @module
 */

import { resolve, serviceOf } from "./csdl.js";
import { state } from "./state.js";

const MOST = 30;
const OPTIONS = [
  "$select",
  "$filter",
  "$orderby",
  "$expand",
  "$top",
  "$skip",
  "$count",
  "$search",
  "$apply",
  "$compute",
  "$format",
];
const WORDS = [
  "eq",
  "ne",
  "gt",
  "ge",
  "lt",
  "le",
  "and",
  "or",
  "not",
  "in",
  "contains(",
  "startswith(",
  "endswith(",
  "length(",
  "tolower(",
  "year(",
];
const VALUES = { $count: ["true", "false"], $format: ["json", "xml"], $top: ["10"], $skip: ["10"] };

/** Texts that continue a URL, with what is shown of them. */
export async function completions(text) {
  const roots = state.info.services.flatMap(({ name, endpoints }) =>
    endpoints.map((one) => ({ ...one, name }))
  );
  const root =
    roots.filter(({ path }) => text.startsWith(`${path}/`)).sort((a, b) => b.path.length - a.path.length)[0];
  if (!root) return matching(roots.map(({ path }) => `${path}/`), { before: "", word: text });
  const service = await serviceOf(root.name).catch(() => undefined);
  if (!service) return [];
  const rest = text.slice(root.path.length + 1);
  const mark = rest.indexOf("?");
  if (mark < 0) return afterPath(service, { rest, before: `${root.path}/` });
  return afterMark(service, { path: rest.slice(0, mark), text });
}

function afterPath(service, { rest, before }) {
  const slash = rest.lastIndexOf("/");
  const parent = rest.slice(0, Math.max(slash, 0));
  const place = { before: before + rest.slice(0, slash + 1), word: rest.slice(slash + 1) };
  if (parent === "") {
    const names = [...service.sets.keys(), ...service.imports.map(({ name }) => name), "$metadata", "$batch"];
    return matching(names, place);
  }
  const at = resolve(service, parent);
  if (!at) return [];
  const bound = service.operations.filter(({ isBound, parameters: [first] }) =>
    isBound && first.type === at.type && first.isCollection === at.isCollection
  ).map(({ name }) => name);
  const members = at.isCollection ? ["$count", "$each"] : namesOf(at.entity);
  return matching([...members, ...bound], place);
}

function afterMark(service, { path, text }) {
  const from = Math.max(text.lastIndexOf("?"), text.lastIndexOf("&")) + 1;
  const option = text.slice(from);
  const equals = option.indexOf("=");
  if (equals < 0) {
    return matching(OPTIONS.map((name) => `${name}=`), { before: text.slice(0, from), word: option });
  }
  const name = option.slice(0, equals);
  const [word] = /[\w/$(]*$/.exec(option.slice(equals + 1));
  const place = { before: text.slice(0, text.length - word.length), word };
  return matching(VALUES[name] ?? candidates(service, { name, at: resolve(service, path) }), place);
}

function candidates(service, { name, at }) {
  if (!at?.entity) return [];
  const properties = at.entity.properties.map((one) => one.name);
  const navigations = at.entity.navigations.map((one) => one.name);
  const paths = at.entity.navigations.filter(({ isCollection }) => !isCollection).flatMap(({ name, type }) =>
    (service.types.get(type)?.properties ?? []).map((one) => `${name}/${one.name}`)
  );
  if (name === "$select") return properties;
  if (name === "$expand") return navigations;
  if (name === "$orderby") return [...properties, ...paths, "asc", "desc"];
  return name === "$search" ? [] : [...properties, ...WORDS, ...paths];
}

function namesOf({ properties, navigations }) {
  return [...navigations, ...properties].map(({ name }) => name);
}

function matching(names, { before, word }) {
  const wanted = word.toLowerCase();
  const starting = names.filter((name) => name.toLowerCase().startsWith(wanted) && name !== word);
  return [...new Set(starting)].slice(0, MOST).map((name) => ({ label: name, text: before + name }));
}
