/**
 * Restricted templates by template and privileges, so that engines see the same object again.
 *
 * @module
 */

import type { Query, Xo } from "../../cqn/cqn.ts";
import { walkXo } from "../../cqn/walk.ts";
import type { LinkedModel } from "../../model/linked.ts";
import type { Statement } from "../service_request.ts";
import { attributeOf, isMissing } from "./effective_condition.ts";
import type { Pass } from "./pass.ts";
import { restrictionsOf } from "./restrictions.ts";

/** Restricted forms of one template; more different users than that share nothing. */
const MAX_FORMS = 64;

/** The restricted forms of templates in a model: that of others may restrict otherwise. */
function formsOf(): WeakMap<Query, Map<string, Query>> {
  return new WeakMap();
}

/**
 * The restricted form of a statement's query. Only templates are kept: handlers may change other queries.
 *
 * @param pass who asks
 * @param statement query and values
 * @param options the event, and how a query is restricted
 */
export function cachedRestriction(
  pass: Pass,
  statement: Statement,
  options: { readonly event: string; readonly restrict: (query: Query) => Query },
): Query {
  const { query, params } = statement;
  if (params === undefined || !Object.isFrozen(query)) return options.restrict(query);
  const key = privilegesKey(pass, options.event);
  const known = pass.model.derived(formsOf, formsOf);
  let forms = known.get(query);
  if (forms === undefined) known.set(query, forms = new Map());
  let form = forms.get(key);
  if (form === undefined) {
    form = options.restrict(query);
    if (forms.size >= MAX_FORMS) forms.clear();
    forms.set(key, form);
  }
  return form;
}

/** All that the restricted form depends on, beside the query. */
function privilegesKey(pass: Pass, event: string): string {
  const { roles, attributes } = pass.model.derived(conditionsOf, conditionsOf);
  let key = `${event}|${pass.service?.name}|${pass.isEndpoint}|`;
  for (const role of roles) key += pass.user.is(role) ? 1 : 0;
  for (const name of attributes) key += isMissing(pass.user, name) ? 1 : 0;
  return key;
}

interface Conditions {
  readonly roles: readonly string[];
  readonly attributes: readonly string[];
}

/** Roles and attributes that restrictions of the model name. */
function conditionsOf(model: LinkedModel): Conditions {
  const roles = new Set(["any", "authenticated-user"]);
  const attributes = new Set<string>();
  const collect = (tokens: readonly Xo[] | undefined) =>
    walkXo(tokens, (expression) => {
      const name = "expand" in expression || "inline" in expression
        ? undefined
        : attributeOf(expression as Exclude<Xo, string>);
      if (name !== undefined) attributes.add(name);
    });
  for (const definition of Object.values(model.definitions)) {
    for (const restricted of [definition, ...definition.actions ?? []]) {
      for (const { to, where } of restrictionsOf(restricted).flat()) {
        for (const role of to) roles.add(role);
        collect(where);
      }
    }
  }
  return { roles: [...roles], attributes: [...attributes] };
}
