/**
 * Models with feature toggles: what toggles add to a model (design 5).
 *
 * @module
 */

import { ConfigurationError } from "../errors/configuration_error.ts";
import type { Csn, CsnDefinition, CsnElement } from "./csn.ts";
import { inferModel } from "./infer_model.ts";
import { isInferred } from "./is_inferred.ts";
import { csnOf, linkModel } from "./link_model.ts";

/**
 * What a compiled model has beyond another one that was compiled from the first of its files.
 *
 * @param base the parsed model without the toggle
 * @param extended the parsed model of the same files, followed by those of the toggle
 * @returns definitions and extensions of the toggle
 */
export function toggleOf(base: Csn, extended: Csn): Csn {
  const known = base.definitions ?? {};
  const added = Object.entries(extended.definitions ?? {}).filter(([name]) => !Object.hasOwn(known, name));
  return {
    definitions: Object.fromEntries(added),
    extensions: (extended.extensions ?? []).slice(base.extensions?.length ?? 0),
  };
}

/** Feature toggles with the model they extend, each as parsed or as inferred. */
export interface Toggled {
  /** The model without toggles. */
  readonly model: Csn;
  /**
   * Of a parsed model what each toggle adds, by name; of an inferred one the definitions that each set of toggles adds or
   * replaces, by the names of the set in their order, separated by commas.
   */
  readonly toggles: Readonly<Record<string, Csn>>;
}

/** Toggles up to whose number the models of all their sets are inferred in advance: there are two to the power of it. */
const MOST_INFERRED = 3;

/**
 * Infers a parsed model, and those of all sets of its toggles, so that a start has nothing to infer.
 *
 * @param parsed the parsed model, and what toggles add to it
 * @returns the same, inferred; parsed where there are many toggles, or names that sets cannot have
 * @throws {ConfigurationError} for a set of toggles that does not fit to the model
 */
export function inferToggles(parsed: Toggled): Toggled {
  const names = toggleNames(parsed);
  if (names.length > MOST_INFERRED || names.some((name) => name.includes(","))) return parsed;
  const model = linkable(parsed.model);
  const toggles: Record<string, Csn> = {};
  for (const set of setsOf(names)) {
    const { definitions = {}, meta } = linkable(withToggles(parsed, set));
    // a set can name what it adds or replaces, and nothing that is gone
    if (Object.keys(model.definitions ?? {}).some((name) => !Object.hasOwn(definitions, name))) return parsed;
    const own = Object.entries(definitions).filter(([name, definition]) =>
      JSON.stringify(definition) !== JSON.stringify(model.definitions?.[name])
    );
    toggles[set.join(",")] = { definitions: Object.fromEntries(own), meta };
  }
  return { model, toggles };
}

/** A model with all that links add to it. */
function linkable(csn: Csn): Csn {
  return csnOf(linkModel(csn));
}

/** All sets but the empty one. */
function setsOf(names: readonly string[]): readonly (readonly string[])[] {
  const all = names.reduce<readonly (readonly string[])[]>(
    (sets, name) => [...sets, ...sets.map((set) => [...set, name])],
    [[]],
  );
  return all.slice(1);
}

/**
 * The names of toggles, in order.
 *
 * @param toggled the toggles
 */
export function toggleNames({ model, toggles }: Toggled): readonly string[] {
  const keys = Object.keys(toggles);
  return isInferred(model) ? [...new Set(keys.flatMap((key) => key.split(",")))] : keys;
}

/**
 * A model with toggles.
 *
 * @param toggled the model, and what toggles add
 * @param names names of toggles, in order; default: all
 * @returns a parsed or an inferred model, as the one without; nothing given is changed
 * @throws {ConfigurationError} for a toggle that declares a service, or that extends a model which is inferred already
 */
export function withToggles(toggled: Toggled, names: readonly string[] = toggleNames(toggled)): Csn {
  const { model, toggles } = toggled;
  if (names.length === 0) return model;
  return isInferred(model) ? withSet(model, toggles[names.join(",")]) : withAdded(toggled, names);
}

function withSet(model: Csn, set: Csn | undefined): Csn {
  if (set === undefined || !isInferred(set)) {
    throw new ConfigurationError("Feature toggles extend a parsed model, but the model is inferred already");
  }
  return { ...model, definitions: { ...model.definitions, ...set.definitions } };
}

function withAdded({ model, toggles }: Toggled, names: readonly string[]): Csn {
  const definitions: Record<string, CsnDefinition> = { ...model.definitions };
  const extensions = [...model.extensions ?? []];
  for (const toggle of names) {
    const csn = toggles[toggle];
    for (const [name, definition] of Object.entries(csn.definitions ?? {})) {
      if (definition.kind === "service" && !Object.hasOwn(model.definitions ?? {}, name)) {
        throw new ConfigurationError(
          `The feature toggle "${toggle}" declares the service ${name}, but toggles extend services only`,
        );
      }
      definitions[name] ??= definition;
    }
    extensions.push(...csn.extensions ?? []);
  }
  return { ...model, definitions, extensions };
}

/**
 * The model that tables are made from: that with all toggles. What toggles add to an entity may be null there, because
 * users without the toggle cannot fill it in.
 *
 * @param base the inferred model without toggles
 * @param extended the model with all of them, parsed or inferred
 * @returns an inferred model
 * @throws {ConfigurationError} for a toggle that adds a key, which rows of others would not have
 */
export function deployedModel(base: Csn, extended: Csn): Csn {
  const { definitions, ...rest } = inferModel(extended);
  const merged = Object.entries(definitions ?? {}).map(([name, definition]) => {
    const known = base.definitions?.[name];
    const isShared = known?.elements !== undefined && definition.elements !== undefined;
    return [name, isShared ? { ...definition, elements: nullable(name, known, definition) } : definition];
  });
  return { ...rest, definitions: Object.fromEntries(merged) };
}

function nullable(
  name: string,
  known: CsnDefinition,
  definition: CsnDefinition,
): Readonly<Record<string, CsnElement>> {
  const elements = Object.entries(definition.elements!).map(([local, element]) => {
    if (Object.hasOwn(known.elements!, local)) return [local, element];
    if (element.key) {
      throw new ConfigurationError(
        `A feature toggle adds the key "${local}" to ${name}: keys are for all users`,
      );
    }
    const { notNull: _relaxed, ...others } = element;
    return [local, others];
  });
  return Object.fromEntries(elements);
}
