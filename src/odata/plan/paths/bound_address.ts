/**
 * What the path of a URL addresses, with the values of a request.
 *
 * @module
 */

import type { RefExpression, Row } from "../../../cqn/cqn.ts";
import type { ViewWithParameters } from "../../../model/runtime_view.ts";
import type { LinkedEntity } from "../../../model/linked.ts";
import { argumentList, keyPredicate } from "../../payload/key_predicate.ts";
import type { Binding } from "../shapes/bindings.ts";
import { type LiteralScalar, rowValue } from "../expressions/literal_values.ts";
import type { Addressed } from "../plan.ts";

/** Part of a canonical URL: text, the key of an entity, or the values of the parameters of a view. */
export type UrlPart =
  | string
  | { readonly entity: LinkedEntity; readonly key: Readonly<Record<string, Binding>> }
  | { readonly entity: ViewWithParameters; readonly args: Readonly<Record<string, Binding>> };

/** What is addressed by all URLs of a shape. */
export interface AddressTemplate {
  /** Makes the instances; undefined where the path leads to no entities. */
  readonly subject?: ReferenceBinder;
  readonly keys: readonly Readonly<Record<string, Binding>>[];
  readonly url: readonly UrlPart[];
}

/** Keys, instances and URL are made when somebody asks for them: queries that read have parameters instead. */
export class BoundAddress implements Addressed {
  readonly #template: AddressTemplate;
  readonly #values: Readonly<Row>;
  #params: readonly Row[] | undefined;
  #subject: RefExpression | undefined;

  /**
   * @param template what URLs of the shape address
   * @param values values of the parameters
   */
  constructor(template: AddressTemplate, values: Readonly<Row>) {
    this.#template = template;
    this.#values = values;
  }

  /** Key objects in URL order. */
  get params(): readonly Row[] {
    return this.#params ??= this.#template.keys.map((key) => keyRow(key, this.#values));
  }

  /** The instances. */
  get subject(): RefExpression | undefined {
    return this.#subject ??= this.#template.subject?.(this.#values);
  }

  /** The canonical URL. */
  get url(): string {
    return this.#template.url.map((part) => urlText(part, this.#values)).join("");
  }
}

function keyRow(key: Readonly<Record<string, Binding>>, values: Readonly<Row>): Row {
  const row: Row = {};
  for (const name in key) row[name] = rowValue(values[key[name].name] as LiteralScalar); // values of bindings
  return row;
}

function urlText(part: UrlPart, values: Readonly<Row>): string {
  if (typeof part === "string") return part;
  if ("args" in part) return argumentList(part.entity, keyRow(part.args, values));
  return keyPredicate(part.entity, keyRow(part.key, values)) ?? "";
}

/** Makes a reference with values in place of parameters. */
export type ReferenceBinder = (values: Readonly<Row>) => RefExpression;

/**
 * The binder of a reference.
 *
 * @param from the reference, with parameters
 * @returns makes copies with values
 */
export function bindReference(from: RefExpression): ReferenceBinder {
  const steps = from.ref.map((step) => createBinder(step) ?? step);
  return (values) => {
    const ref: unknown[] = [];
    for (const step of steps) ref.push(typeof step === "function" ? step(values) : step);
    return { ref } as RefExpression; // the same structure with values in place of parameters
  };
}

/** Makes a copy of a structure with values in place of its parameters. */
type Binder = (values: Readonly<Row>) => unknown;

/** The binder of a structure; undefined where nothing in it is a parameter, so that it can be shared. */
function createBinder(node: unknown): Binder | undefined {
  if (typeof node !== "object" || node === null || node instanceof Uint8Array) return undefined;
  if (Array.isArray(node)) {
    const items = node.map((item) => createBinder(item) ?? item);
    if (!items.some((item) => typeof item === "function")) return undefined;
    return (values) => items.map((item) => typeof item === "function" ? item(values) : item);
  }
  if ("param" in node && "ref" in node) {
    const name = String((node.ref as unknown[])[0]);
    return (values) => ({ val: values[name] });
  }
  const bound = Object.entries(node).flatMap(([name, member]) => {
    const bind = createBinder(member);
    return bind ? [{ name, bind }] : [];
  });
  if (bound.length === 0) return undefined;
  return (values) => {
    const copy: Record<string, unknown> = { ...node };
    for (const { name, bind } of bound) copy[name] = bind(values);
    return copy;
  };
}
