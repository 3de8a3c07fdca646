/**
 * The linked models of a runtime by feature toggles (design 5).
 *
 * @module
 */

import { ConfigurationError } from "../errors/configuration_error.ts";
import type { Csn } from "../model/csn.ts";
import { csnOf, isLinked, linkModel } from "../model/link_model.ts";
import type { LinkedModel } from "../model/linked.ts";
import { deployedModel, type Toggled, toggleNames, withToggles } from "../model/toggles.ts";

/** What toggled models are made from. */
export interface ToggledModelsOptions {
  /** The model without toggles, parsed or inferred. */
  readonly model: Csn | LinkedModel;
  /** What toggles add. */
  readonly toggles: Toggled["toggles"];
  /** What the configuration wants of every model. */
  readonly configure: (model: Csn) => Csn;
  /** The number of models kept beside those with none and with all toggles. */
  readonly limit: number;
}

/** One linked model per set of toggles in use, made on first use; the one used longest ago goes first. */
export class ToggledModels {
  /** The model of whoever has no toggle. */
  readonly base: LinkedModel;
  /** What tables are made from: it has what any toggle adds. */
  readonly deployed: LinkedModel;
  readonly #options: Omit<ToggledModelsOptions, "model">;
  readonly #toggled: Toggled;
  readonly #names: readonly string[];
  readonly #models: Map<string, LinkedModel> = new Map();

  /**
   * Links the model without toggles, and that with all of them.
   *
   * @param options model, toggles, limit
   * @throws ConfigurationError when a toggle does not fit to the model
   */
  constructor(options: ToggledModelsOptions) {
    const { model, toggles, configure } = options;
    if (isLinked(model)) {
      throw new ConfigurationError("Feature toggles extend a parsed model, but the model is linked already");
    }
    this.#options = options;
    this.#toggled = { model, toggles };
    this.#names = toggleNames(this.#toggled);
    this.base = linkModel(configure(model));
    this.deployed = linkModel(deployedModel(csnOf(this.base), configure(withToggles(this.#toggled))));
  }

  /**
   * The model for a set of toggles.
   *
   * @param features names of toggles, or `*` for all; names that are no toggles of the model have no effect
   */
  of(features: ReadonlySet<string>): LinkedModel {
    const { configure, limit } = this.#options;
    if (features.size === 0) return this.base;
    const chosen = this.#names.filter((name) => features.has("*") || features.has(name));
    if (chosen.length === 0) return this.base;
    const key = JSON.stringify(chosen);
    const linked = this.#models.get(key) ?? linkModel(configure(withToggles(this.#toggled, chosen)));
    // the last entry of the map is the one used last
    this.#models.delete(key);
    this.#models.set(key, linked);
    if (this.#models.size > limit) this.#models.delete(this.#models.keys().next().value!);
    return linked;
  }
}
