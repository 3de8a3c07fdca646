/**
 * The models of a runtime, as its configuration wants them.
 *
 * @module
 */

import type { Environment } from "../config/environment.ts";
import type { Limits } from "../config/limits.ts";
import type { EventContext } from "../context/event_context.ts";
import type { Csn } from "../model/csn.ts";
import { csnOf, isLinked, linkModel } from "../model/link_model.ts";
import type { LinkedModel } from "../model/linked.ts";
import { mockedServices } from "./mocked_services.ts";
import { modelAsConfigured, servedInstead } from "./model_as_configured.ts";
import { modelWithQueues } from "./open_outbox.ts";
import { ToggledModels } from "./toggled_models.ts";
import { VERSION } from "./version.ts";

/** What the models of a runtime are made from: options of it. */
export interface ModelOptions {
  /** The model. */
  readonly model: Csn | LinkedModel;
  /** What feature toggles add. */
  readonly toggles?: Readonly<Record<string, Csn>>;
  /** Version of the framework that has checked them. */
  readonly checked?: string;
  /** Root folder of the project. */
  readonly root?: string;
}

/** The models of a runtime. */
export interface RuntimeModels {
  /** The model of whoever has no feature toggle. */
  readonly model: LinkedModel;
  /** What tables are made from. */
  readonly deployedModel: LinkedModel;
  /** The linked model for the feature toggles of a context, where there are any. */
  readonly modelOf?: (context: EventContext | undefined) => LinkedModel;
  /** Full names of the services of other systems that are served here. */
  readonly mocked: ReadonlySet<string>;
  /** Whether the rules of these models were checked when the project was built. */
  readonly isChecked: boolean;
}

/**
 * Links the models of a runtime.
 *
 * @param options what the runtime is made from
 * @param settings its configuration and limits
 * @throws ConfigurationError when a model is wrong
 */
export function runtimeModels(
  { model, toggles = {}, root, checked }: ModelOptions,
  { env, limits }: { readonly env: Environment; readonly limits: Limits },
): RuntimeModels {
  const mocked = isLinked(model) ? new Set<string>() : mockedServices({ csn: model, env, root });
  let isChecked = checked === VERSION;
  const configure = (one: Csn) => {
    const configured = modelAsConfigured(servedInstead(one, mocked), env);
    isChecked &&= configured === one;
    return modelWithQueues(configured, env);
  };
  if (Object.keys(toggles).length > 0) {
    const models = new ToggledModels({ model, toggles, configure, limit: limits.toggleModels });
    const modelOf = (context: EventContext | undefined) =>
      context ? models.of(context.features) : models.base;
    return { model: models.base, deployedModel: models.deployed, modelOf, mocked, isChecked };
  }
  const csn = isLinked(model) ? csnOf(model) : model;
  const configured = configure(csn);
  const linked = isLinked(model) && configured === csn ? model : linkModel(configured);
  return { model: linked, deployedModel: linked, mocked, isChecked };
}
