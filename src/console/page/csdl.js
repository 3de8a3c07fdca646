/**
 * What a service offers, from its metadata (CSDL JSON 4.01).
 *
 * @module
 */

import { send } from "./api.js";
import { state } from "./state.js";

const services = new Map();

/** Reads the metadata of a service once for each user. */
export function serviceOf(name) {
  const { info, login } = state;
  const found = info.services.find((service) => service.name === name);
  const endpoint = found?.endpoints.find(({ protocol }) => protocol === "odata");
  if (!endpoint) return Promise.reject(new Error(`There is no service ${name} of OData`));
  if (info.isMocked && !login && [found.requires ?? []].flat().some((role) => role !== "any")) {
    return Promise.reject(Object.assign(new Error("Unauthorized"), { status: 401 }));
  }
  const key = `${name} ${login?.name ?? ""}`;
  if (!services.has(key)) {
    const loading = read(found, `.${endpoint.path}`);
    services.set(key, loading);
    loading.catch(() => services.delete(key));
  }
  return services.get(key);
}

async function read(info, root) {
  const { body } = await send("GET", `${root}/$metadata?$format=json`);
  return describe(body, { info, root, name: info.name });
}

/** Turns a document into sets, types and operations by their names. */
export function describe(document, about) {
  const schemas = Object.entries(document).filter(([name]) => !name.startsWith("$"));
  const annotations = {};
  for (const [, schema] of schemas) Object.assign(annotations, schema.$Annotations ?? {});
  const service = { ...about, types: new Map(), sets: new Map(), imports: [], operations: [], annotations };
  for (const [namespace, schema] of schemas) {
    for (const [name, one] of Object.entries(schema)) {
      if (!name.startsWith("$")) addMember(service, `${namespace}.${name}`, one);
    }
  }
  for (const type of service.types.values()) completeType(service, type);
  return service;
}

function addMember(service, name, one) {
  if (Array.isArray(one)) {
    service.operations.push(...one.map((overload) => toOperation(service, name, overload)));
  } else if (one.$Kind === "EntityContainer") addContainer(service, name, one);
  else service.types.set(name, { name, local: name.slice(name.lastIndexOf(".") + 1), json: one });
}

function addContainer(service, containerName, container) {
  for (const [name, one] of Object.entries(container)) {
    if (name.startsWith("$")) continue;
    const notes = notesOf(service, `${containerName}/${name}`, one);
    if (one.$Type) {
      const { $Type: type, $Collection: isCollection = false, $NavigationPropertyBinding: bindings = {} } =
        one;
      service.sets.set(name, { name, type, isCollection, bindings, notes });
    } else service.imports.push({ name, operation: one.$Action ?? one.$Function, notes });
  }
}

function toOperation(service, name, { $Kind, $IsBound = false, $Parameter = [], $ReturnType }) {
  return {
    name,
    local: name.slice(name.lastIndexOf(".") + 1),
    isAction: $Kind === "Action",
    isBound: $IsBound,
    parameters: $Parameter.map((one) => toProperty(service, { name: one.$Name, json: one, owner: name })),
    returns: $ReturnType,
    label: notesOf(service, name, {})["@Common.Label"],
  };
}

/** Annotations of a target, inline or apart. */
function notesOf(service, target, json) {
  return { ...json, ...service.annotations[target] };
}

function completeType(service, type) {
  const { json } = type;
  type.kind = json.$Kind;
  type.notes = notesOf(service, type.name, json);
  type.doc = type.notes["@Core.Description"];
  type.label = type.notes["@Common.Label"] ?? type.local;
  if (type.kind === "EnumType" || type.kind === "TypeDefinition") return;
  const chain = [];
  for (let one = json; one; one = service.types.get(one.$BaseType)?.json) chain.unshift(one);
  type.keys = chain.flatMap(({ $Key = [] }) => $Key).filter((key) => typeof key === "string");
  const members = Object.assign({}, ...chain);
  const entries = Object.entries(members).filter(([name]) => !/[$@]/.test(name));
  type.navigations = entries.filter(([, { $Kind }]) => $Kind === "NavigationProperty")
    .map(([name, one]) => toNavigation(service, { name, json: one, owner: type.name }));
  type.properties = entries.filter(([, { $Kind }]) => $Kind !== "NavigationProperty")
    .map(([name, one]) => toProperty(service, { name, json: one, owner: type.name }));
  for (const property of type.properties) {
    property.isKey = type.keys.includes(property.name);
    property.navigation = type.navigations.find(({ constraint }) => constraint[property.name] !== undefined);
  }
}

function toNavigation(service, { name, json, owner }) {
  const notes = notesOf(service, `${owner}/${name}`, json);
  return {
    name,
    type: json.$Type,
    isCollection: json.$Collection === true,
    isPart: json.$OnDelete === "Cascade" || json.$ContainsTarget === true,
    constraint: json.$ReferentialConstraint ?? {},
    label: notes["@Common.Label"] ?? name,
  };
}

function toProperty(service, { name, json, owner }) {
  const notes = notesOf(service, `${owner}/${name}`, json);
  return {
    name,
    type: json.$Type ?? "Edm.String",
    isCollection: json.$Collection === true,
    isNullable: json.$Nullable === true,
    maxLength: json.$MaxLength,
    scale: json.$Scale ?? 0,
    standard: json.$DefaultValue,
    isComputed: notes["@Core.Computed"] === true || notes["@Common.FieldControl"] === "ReadOnly",
    isImmutable: notes["@Core.Immutable"] === true,
    isMandatory: notes["@Common.FieldControl"] === "Mandatory",
    isMedia: json.$Type === "Edm.Stream",
    label: notes["@Common.Label"] ?? name,
    doc: notes["@Core.Description"],
    choices: choicesOf(service, json.$Type, notes),
    valueList: notes["@Common.ValueList"],
    minimum: notes["@Validation.Minimum"],
    maximum: notes["@Validation.Maximum"],
  };
}

function choicesOf(service, type, notes) {
  const allowed = notes["@Validation.AllowedValues"];
  if (Array.isArray(allowed)) {
    return allowed.map((one) => ({ value: one.Value, name: one["@Core.SymbolicName"] ?? String(one.Value) }));
  }
  const { json } = service.types.get(type) ?? {};
  if (json?.$Kind !== "EnumType") return undefined;
  return Object.keys(json).filter((name) => !/[$@]/.test(name)).map((name) => ({ value: name, name }));
}

/** What a resource path leads to: a collection or one entity, with its type and its set. */
export function resolve(service, path) {
  let at;
  for (const { name, key } of segments(path)) {
    const set = at ? undefined : service.sets.get(name);
    const navigation = at && service.types.get(at.type)?.navigations.find((one) => one.name === name);
    const next = set ?? navigation;
    if (!next) return undefined;
    const bound = at?.set && service.sets.get(at.set)?.bindings[name];
    at = {
      type: next.type,
      set: set ? name : bound,
      navigation,
      isCollection: next.isCollection && key === undefined,
      parent: at,
    };
  }
  return at && { ...at, path, entity: service.types.get(at.type) };
}

/** Names and keys of a path. */
export function segments(path) {
  const found = path.matchAll(/([^/(]+)(\((?:'(?:[^']|'')*'|[^')])*\))?(?:\/|$)/g);
  return [...found].map(([, name, key]) => ({ name, key }));
}

/** Whether a set allows something: `Insertable`, `Updatable`, `Deletable`, `Searchable`. */
export function allows(service, setName, what) {
  const notes = service.sets.get(setName)?.notes ?? {};
  const kind = { Insertable: "Insert", Updatable: "Update", Deletable: "Delete", Searchable: "Search" }[what];
  return notes[`@Capabilities.${kind}Restrictions`]?.[what] !== false;
}

/** Operations that are bound to a type, or to collections of it. */
export function operationsOf(service, typeName, isCollection) {
  return service.operations.filter(({ isBound, parameters: [first], local }) =>
    isBound && first.type === typeName && first.isCollection === isCollection && !/^draft[A-Z]/.test(local)
  );
}

/** The action of drafts by its term: `EditAction`, `ActivationAction`; undefined for entities without drafts. */
export function draftAction(service, setName, term) {
  const set = service.sets.get(setName);
  const root = set?.notes["@Common.DraftRoot"] ?? service.types.get(set?.type)?.notes["@Common.DraftRoot"];
  return root?.[term];
}
