/**
 * Restricted templates by template and privileges, so that engines see the same object again.
 *
 * @module
 */

import type { DeleteQuery, Query, QueryParams, RefExpression } from "../../cqn/cqn.ts";
import { QueryTemplates } from "../../cqn/query_templates.ts";
import type { LinkedModel, LinkedOperation } from "../../model/linked.ts";
import { deepFreeze } from "../../util/deep_freeze.ts";
import type { Statement } from "../requests/service_request.ts";
import type { Pass } from "./pass.ts";
import { type Privileges, privilegesOf } from "./privileges.ts";

/** Restricted forms of one template; more different users than that share nothing. */
const MAX_FORMS = 64;

/** What is restricted in a model: other models may restrict otherwise. */
interface ModelRestrictions {
  /** The restricted forms of templates. */
  readonly forms: WeakMap<Query, RestrictedForm[]>;
  /** What is restricted of statements that are no templates. */
  readonly templates: QueryTemplates<Query>;
  /** What new rows of an entity are restricted by, by its name. */
  readonly inserts: Map<string, Statement>;
  /** What updates and deletions are restricted by, by the templates of their paths. */
  readonly changes: WeakMap<object, Query>;
  readonly deletions: WeakMap<object, Query>;
}

/**
 * What is restricted of a statement, as template: all but the rows that it writes. Statements that are alike share it.
 *
 * @param model the linked model
 * @param statement the statement of a request for which a protocol tells what it addresses
 * @returns the statement itself where it is no template and cannot be made one
 */
export function addressingTemplate(model: LinkedModel, statement: Statement): Statement {
  const { query, params } = statement;
  if (Object.isFrozen(query)) return statement;
  if ("INSERT" in query && typeof query.INSERT.into === "string" && !query.INSERT.from) {
    return insertTemplate(model, query.INSERT.into);
  }
  const known = params && knownPlace(model, query);
  if (known) return { query: known, params };
  const addressing = addressingPart(query);
  if (addressing === undefined) return statement;
  const template = restrictionsOf(model).templates.get(addressing, params ?? {});
  return Object.isFrozen(template.query) ? template : statement;
}

function insertTemplate(model: LinkedModel, into: string): Statement {
  const { inserts } = restrictionsOf(model);
  let template = inserts.get(into);
  if (!template) {
    template = { query: deepFreeze({ INSERT: { into } }), params: NO_PARAMS };
    // clients and handlers name what they like
    if (model.entity(into)) inserts.set(into, template);
  }
  return template;
}

/** The template of a write that is known by the path it addresses, which is a template. */
function knownPlace(model: LinkedModel, query: Query): Query | undefined {
  const place = placeAlone(query);
  if (place === undefined) return undefined;
  const { changes, deletions } = restrictionsOf(model);
  const templates = "UPDATE" in query ? changes : deletions;
  let template = templates.get(place);
  if (!template) {
    template = deepFreeze("UPDATE" in query ? { UPDATE: { entity: place } } : { DELETE: { from: place } });
    templates.set(place, template);
  }
  return template;
}

/** The path of a write that has no other condition, if it is frozen. */
function placeAlone(query: Query): RefExpression | undefined {
  const place = "UPDATE" in query ? query.UPDATE.entity : "DELETE" in query ? query.DELETE.from : undefined;
  if (typeof place !== "object" || !Object.isFrozen(place)) return undefined;
  for (const name in "UPDATE" in query ? query.UPDATE : (query as DeleteQuery).DELETE) {
    if (name !== "entity" && name !== "data" && name !== "from") return undefined;
  }
  return place;
}

const NO_PARAMS: QueryParams = Object.freeze({});

function addressingPart(query: Query): Query | undefined {
  if ("INSERT" in query) return query.INSERT.from ? undefined : { INSERT: { into: query.INSERT.into } };
  if ("UPSERT" in query) return query.UPSERT.from ? undefined : { UPSERT: { into: query.UPSERT.into } };
  if (!("UPDATE" in query)) return query;
  const { data: _data, ...addressing } = query.UPDATE;
  return { UPDATE: addressing };
}

/** What restrictions are made for, beside the user. */
export interface Restricting {
  readonly event: string;
  /** The operation, where one is asked for: its name alone may be that of another one. */
  readonly operation?: LinkedOperation | undefined;
  readonly restrict: (query: Query, pass: Pass) => Query;
}

/**
 * The restricted form of a statement's query. Only templates are kept: handlers may change other queries.
 *
 * @param pass who asks
 * @param statement query and values
 * @param options the event, and how a query is restricted
 */
export function cachedRestriction(pass: Pass, statement: Statement, options: Restricting): Query {
  const { query, params } = statement;
  if (params === undefined || !Object.isFrozen(query)) return options.restrict(query, pass);
  const { event, operation } = options;
  const { service, isAdmitted } = pass;
  const restrictions = restrictionsOf(pass.model);
  const privileges = privilegesOf(pass);
  let forms = restrictions.forms.get(query);
  if (forms === undefined) restrictions.forms.set(query, forms = []);
  for (const form of forms) {
    if (
      form.privileges === privileges && form.event === event && form.service === service &&
      form.isAdmitted === isAdmitted && form.operation === operation
    ) return form.query;
  }
  // what is made of a template is one, too: engines compile it once
  const restricted = deepFreeze(options.restrict(query, pass));
  if (forms.length >= MAX_FORMS) forms.length = 0;
  forms.push({ privileges, event, operation, service, isAdmitted, query: restricted });
  return restricted;
}

/** A restricted query, and all that it depends on beside the query it was made of. */
interface RestrictedForm extends Pick<Pass, "service" | "isAdmitted"> {
  readonly privileges: Privileges;
  readonly event: string;
  readonly operation: LinkedOperation | undefined;
  readonly query: Query;
}

function restrictionsOf(model: LinkedModel): ModelRestrictions {
  return model.derived(modelRestrictions, modelRestrictions);
}

function modelRestrictions(): ModelRestrictions {
  return {
    forms: new WeakMap(),
    templates: new QueryTemplates<Query>("$r"),
    inserts: new Map(),
    changes: new WeakMap(),
    deletions: new WeakMap(),
  };
}
