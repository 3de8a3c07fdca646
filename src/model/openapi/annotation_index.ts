/**
 * What the annotations of a service say of a target, as plain data.
 *
 * @module
 */

import type { Csdl, CsdlTexts } from "../csdl/csdl.ts";
import { edmName } from "../edm_property.ts";
import { isInsertOnly, isReadOnly } from "../exposure.ts";
import type { LinkedEntity, LinkedService } from "../linked.ts";
import { writeCsdlJson } from "../csdl/write_csdl_json.ts";

type Json = Readonly<Record<string, unknown>>;

/** Label and text of something. */
export interface Described {
  readonly title?: string;
  readonly description?: string;
}

/** What clients cannot do with an entity although no annotation says so. */
function deniedByExposure(entity: LinkedEntity): readonly string[] {
  if (isReadOnly(entity)) return ["InsertRestrictions", "UpdateRestrictions", "DeleteRestrictions"];
  if (isInsertOnly(entity)) return ["ReadRestrictions", "UpdateRestrictions", "DeleteRestrictions"];
  return [];
}

/** The annotations of a service by target and term. */
export class AnnotationIndex {
  readonly #targets: Readonly<Record<string, Json>>;
  readonly #denied: ReadonlyMap<string, readonly string[]>;

  /**
   * @param csdl the metadata
   * @param service the service it is made from
   * @param texts texts for `{i18n>key}`
   */
  constructor(csdl: Csdl, service: LinkedService, texts?: CsdlTexts) {
    this.#denied = new Map(
      [...service.entities].map((entity) =>
        [`${service.name}.EntityContainer/${edmName(entity)}`, deniedByExposure(entity)] as const
      ),
    );
    const schema = writeCsdlJson(csdl, texts)[csdl.namespace] as Json;
    this.#targets = (schema.$Annotations ?? {}) as Readonly<Record<string, Json>>;
  }

  /**
   * The value of a term.
   *
   * @param target qualified: `S.EntityContainer/Books`
   * @param term with vocabulary: `Core.Computed`
   * @returns undefined where the target does not have it
   */
  value(target: string, term: string): unknown {
    return Object.hasOwn(this.#targets, target) ? this.#targets[target]![`@${term}`] : undefined;
  }

  /**
   * Whether a capability is not denied (Capabilities vocabulary: what is not mentioned is supported).
   *
   * @param target the set
   * @param term `InsertRestrictions`
   * @param property `Insertable`; without, the term itself is a boolean
   */
  allows(target: string, term: string, property?: string): boolean {
    if (this.#denied.get(target)?.includes(term)) return false;
    const value = this.value(target, `Capabilities.${term}`);
    if (property === undefined) return value !== false;
    return typeof value !== "object" || value === null || (value as Json)[property] !== false;
  }

  /**
   * Label and description of a target; both missing where it has none.
   *
   * @param target qualified
   */
  described(target: string): Described {
    const title = this.value(target, "Common.Label");
    const description = this.value(target, "Core.LongDescription") ?? this.value(target, "Core.Description");
    return {
      ...(typeof title === "string" ? { title } : {}),
      ...(typeof description === "string" ? { description } : {}),
    };
  }
}
