/**
 * Models with feature toggles: what toggles add to a parsed model (design 5).
 *
 * @module
 */

import { ConfigurationError } from "../errors/configuration_error.ts";
import type { Csn, CsnDefinition, CsnElement } from "./csn.ts";
import { inferModel } from "./infer_model.ts";

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

/**
 * A parsed model with toggles.
 *
 * @param base the parsed model
 * @param toggles what they add, in order of application
 * @returns a parsed model; nothing given is changed
 * @throws {ConfigurationError} for a model that is inferred already, and for a toggle that declares a service
 */
export function withToggles(base: Csn, toggles: Readonly<Record<string, Csn>>): Csn {
  if (base.meta?.flavor === "inferred" || base.meta?.compilerCsnFlavor === "inferred") {
    throw new ConfigurationError("Feature toggles extend a parsed model, but the model is inferred already");
  }
  const definitions: Record<string, CsnDefinition> = { ...base.definitions };
  const extensions = [...base.extensions ?? []];
  for (const [toggle, csn] of Object.entries(toggles)) {
    for (const [name, definition] of Object.entries(csn.definitions ?? {})) {
      if (definition.kind === "service" && !Object.hasOwn(base.definitions ?? {}, name)) {
        throw new ConfigurationError(
          `The feature toggle "${toggle}" declares the service ${name}, but toggles extend services only`,
        );
      }
      definitions[name] ??= definition;
    }
    extensions.push(...csn.extensions ?? []);
  }
  return { ...base, definitions, extensions };
}

/**
 * The model that tables are made from: that with all toggles. What toggles add to an entity may be null there, because
 * users without the toggle cannot fill it in.
 *
 * @param base the inferred model without toggles
 * @param extended the parsed model with all of them
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
