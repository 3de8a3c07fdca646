/**
 * What projects ask for and do not get: it is said at the start, with what to do.
 *
 * @module
 */

import type { Environment } from "../config/environment.ts";
import type { LinkedModel } from "../model/linked.ts";
import { isPlainObject } from "../util/is_plain_object.ts";

/** How many names a remark lists. */
const NAMED = 5;

/**
 * Remarks what of model and configuration has no effect.
 *
 * @param model the model in effect
 * @param env configuration; its remarks take what is found
 */
export function remarkWithoutEffect(model: LinkedModel, env: Environment): void {
  remarkDrafts(model, env);
  remarkExtensibility(env);
  remarkFormats(env);
}

function remarkDrafts({ services }: LinkedModel, { remarks }: Environment): void {
  const names = services.filter((service) => !service["@cds.external"])
    .flatMap((service) => [...service.entities])
    .filter((entity) => entity["@odata.draft.enabled"] === true || entity["@fiori.draft.enabled"] === true)
    .map(({ name }) => name);
  if (names.length === 0) return;
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : "";
  remarks.add(
    `Drafts of ${
      names.slice(0, NAMED).join(", ")
    }${more} are not complete: activation writes the whole draft over what ` +
      "others changed meanwhile, REST does not look at their locks, $apply answers 501",
  );
}

function remarkExtensibility({ requires, remarks }: Environment): void {
  const { extensibility } = requires as Readonly<Record<string, unknown>>;
  if (!extensibility) return;
  remarks.add(
    '"requires.extensibility" has no effect: tenants cannot extend the model; feature toggles (folder "fts") add to ' +
      "it by tenant",
  );
}

/** The messaging service that an application calls writes messages, and not the channels that it hands them to. */
function remarkFormats({ requires, remarks }: Environment): void {
  for (const [name, entry] of Object.entries(requires)) {
    if (entry?.kind !== "composite-messaging" || !isPlainObject(entry.routes)) continue;
    for (const channel of Object.keys(entry.routes)) {
      const format = requires[channel]?.format;
      if (format === undefined || format === entry.format) continue;
      remarks.add(
        `"requires.${channel}.format" has no effect behind "${name}": "requires.${name}.format" says how messages ` +
          "are written",
      );
    }
  }
}
