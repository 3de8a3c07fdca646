/**
 * Checks of what callers send, before any handler runs: all violations are found and reported together (spec 7.3).
 *
 * @module
 */

import type { RefExpression, Row } from "../../cqn/cqn.ts";
import { type ErrorProperties, ServiceError, type TextLookup } from "../../errors/service_error.ts";
import { FRAMEWORK_TEXTS } from "../../i18n/framework_texts.ts";
import type {
  ForeignKey,
  LinkedElement,
  LinkedElements,
  LinkedEntity,
  LinkedModel,
} from "../../model/linked.ts";
import type { ServiceRequest } from "../requests/service_request.ts";
import { missingRole, refusal } from "../authorization/refusals.ts";
import { accessOf, type Pass } from "../authorization/pass.ts";
import { type AuthorizationScope, isPrivileged, passOf } from "../authorization/pass_of.ts";
import { isRestricted } from "../authorization/view_restrictions.ts";
import { waysToParts } from "../authorization/ways_to_parts.ts";
import {
  areAcceptedParameters,
  backLinkOf,
  childKeyInPath,
  defaultStringLength,
  hasLooseIds,
  isAcceptedRow,
  isBlank,
  parameterIn,
  valueIn,
  valueOfKey,
} from "./given_value.ts";
import { isLooseId, isOfType, typeText } from "./check_type.ts";
import {
  assertionsOfElement,
  assertionsOfItems,
  type ElementRule,
  rulesOf,
  targetRulesOf,
} from "./element_rules.ts";
import { isGeneratedKey } from "./fill_managed.ts";
import { missingTargets, type TargetCheck } from "./missing_targets.ts";
import { knownChild, settleRows, storedRow, type UnknownRow } from "./unknown_rows.ts";
import { holdsUnstorable } from "../../util/unstorable_text.ts";
import type { MaybePromise } from "../../util/maybe_promise.ts";
import { addAll } from "../../util/add_all.ts";
import { isRow } from "../../cqn/entries_of.ts";

/** What the checks need of the service and its runtime. */
export interface ValidationScope extends AuthorizationScope {
  readonly host: AuthorizationScope["host"] & { readonly texts: TextLookup };
}

const WRITES: ReadonlySet<string> = new Set(["CREATE", "UPDATE", "UPSERT"]);

/**
 * Checks the data of a CREATE, UPDATE or UPSERT, or the parameters of an operation. Values that callers cannot set
 * (`@readonly`, computed and managed elements, `@Core.Immutable` ones of rows that are stored) are taken out of the data.
 *
 * @param req the request
 * @param scope the service; a `Service` of a runtime fits
 * @throws ServiceError 400 with the code of the violation, or `MULTIPLE_ERRORS`
 */
export function validateInput(req: ServiceRequest, scope: ValidationScope): MaybePromise<void> {
  const isWrite = req.target !== undefined && WRITES.has(req.event);
  if ((!req.operation && !isWrite) || isAccepted(req, scope)) return;
  const pass = isPrivileged(req) ? undefined : passOf(req, scope);
  const check = new Check({ host: scope.host, model: scope.model, locale: req.locale, pass });
  const owner = req.event === "UPDATE" ? req.subject : undefined;
  if (req.operation) {
    if (isRow(req.data)) checkParameters(check, req.data, { elements: req.operation.params, path: "" });
  } else {
    const rows = Array.isArray(req.data) ? req.data : [req.data];
    rows.forEach((row, index) => {
      if (!isRow(row)) return;
      const path = rows.length > 1 ? `[${index}]` : "";
      const place = { entity: req.target!, path, isNew: req.event === "CREATE", known: row, owner };
      checkRow(check, row, { ...place, isStored: req.event === "UPDATE" });
    });
  }
  // keys that are of a wrong type are no keys of rows
  if (check.unknown.length === 0 || check.errors.length > 0) return refuse(check, scope, owner);
  return settleRows(check.unknown, scope.host.db).then((errors) => {
    addAll(check.errors, errors);
    return refuse(check, scope, owner);
  });
}

/** Whether a request has parameters, or creates a row, that need neither correction nor a look at others. */
function isAccepted({ event, target, data, operation }: ServiceRequest, { host }: ValidationScope): boolean {
  if (!isRow(data)) return false;
  const length = defaultStringLength(host);
  if (operation) return areAcceptedParameters(operation.params, data, length);
  return event === "CREATE" && targetRulesOf(target!).length === 0 && isAcceptedRow(target!, data, length);
}

function refuse(
  check: Check,
  scope: ValidationScope,
  owner: RefExpression | undefined,
): MaybePromise<void> {
  if (check.targets.length === 0) return throwViolations(check.errors);
  // what is not even of the type of a key refers to nothing
  const wrong = new Set(check.errors.map((error) => error.target));
  const targets = check.targets.filter(({ path }) => !wrong.has(path));
  return missingTargets(targets, scope.host.db, owner).then((missing) =>
    throwViolations([...check.errors, ...missing])
  );
}

/**
 * Reports violations: one as itself, several together.
 *
 * @param errors the violations in the order of the input
 * @throws ServiceError if there is one
 */
export function throwViolations(errors: readonly ErrorProperties[]): void {
  if (errors.length === 0) return;
  if (errors.length === 1) throw new ServiceError(errors[0]!);
  throw new ServiceError({ status: 400, code: "MULTIPLE_ERRORS", details: errors });
}

/**
 * What in the payload of an event does not match its declaration. Members that are not declared are let through: senders may
 * be newer than receivers.
 *
 * @param data the payload
 * @param elements the declared elements
 * @param host the runtime
 * @returns the violations; their `target` is the path of the element, empty for the payload itself
 */
export function payloadViolations(
  data: unknown,
  elements: LinkedElements,
  host: PayloadScope,
): readonly ErrorProperties[] {
  const check = new Check({ host, model: undefined, locale: undefined, pass: undefined });
  if (isRow(data)) checkParameters(check, data, { elements, path: "" });
  else check.add("ASSERT_DATA_TYPE", "", ["The payload", "structure"]);
  return check.errors;
}

/** What the checks need of a runtime. */
export interface PayloadScope {
  /** Configuration. */
  readonly env: Readonly<Record<string, unknown>>;
  /** Texts of errors. */
  readonly texts: TextLookup;
}

interface CheckOptions {
  readonly host: PayloadScope;
  readonly model: LinkedModel | undefined;
  readonly locale: string | undefined;
  readonly pass: Pass | undefined;
}

/** What was found so far. */
class Check {
  readonly errors: ErrorProperties[] = [];
  readonly targets: TargetCheck[] = [];
  readonly unknown: UnknownRow[] = [];
  readonly stringLength: number;
  readonly looseIds: boolean;
  /** Who asks; undefined for a user who passes every check. */
  readonly pass: Pass | undefined;
  readonly #options: CheckOptions;

  constructor(options: CheckOptions) {
    this.#options = options;
    this.pass = options.pass;
    this.stringLength = defaultStringLength(options.host);
    this.looseIds = hasLooseIds(options.host);
  }

  /** `ASSERT_MANDATORY`, or the code that the project has a text for (spec 7.3). */
  get mandatoryCode(): string {
    const { host, locale } = this.#options;
    const text = host.texts("ASSERT_NOT_NULL", locale);
    const isOurs = text === undefined ||
      [...FRAMEWORK_TEXTS.values()].some((texts) => texts.get("ASSERT_NOT_NULL") === text);
    return isOurs ? "ASSERT_MANDATORY" : "ASSERT_NOT_NULL";
  }

  /** The entity that a value is a row of. */
  entityOf({ $type: { typeName } }: LinkedElement): LinkedEntity | undefined {
    return typeName === undefined ? undefined : this.#options.model?.entity(typeName);
  }

  add(code: string, target: string, args?: readonly unknown[]): void {
    this.errors.push({ status: 400, code, target, ...(args ? { args } : {}) });
  }
}

interface RowPlace {
  readonly entity: LinkedEntity;
  /** Path to the row in the payload: `parts(ID=2)`; empty at the top. */
  readonly path: string;
  /** Whether the row is inserted for sure, so that nothing may be missing. */
  readonly isNew: boolean;
  /** Whether it is there for sure; some rows are neither. */
  readonly isStored?: boolean;
  /** Whether it is a value that handlers get as it is, and nobody stores. */
  readonly isParameter?: boolean;
  /** What is known of it: its values, and those that the row around gives it. */
  readonly known: Row;
  /** The association of a child to its parent. */
  readonly backLink?: string;
  /** The row in the database, if it may be there already. */
  readonly owner?: RefExpression;
}

function checkRow(check: Check, row: Row, place: RowPlace): void {
  const { entity, path, isNew, isStored, isParameter, known } = place;
  const immutable: string[] = [];
  const missing: ErrorProperties[] = [];
  const first = check.errors.length;
  for (const rule of rulesOf(entity)) {
    const { name } = rule.flat;
    if (rule.isIgnored || (isStored && rule.isImmutable)) {
      if (!isParameter) delete row[name];
      continue;
    }
    const value = valueIn(row, rule);
    if (!isNew && rule.isImmutable && value !== undefined) immutable.push(name);
    if (isParameter && isLacking(rule, value)) check.add("ASSERT_NOT_NULL", memberOf(path, name));
    if (value === undefined) {
      if (isStored || !rule.isMandatory || rule.hasDefault) continue;
      const target = memberOf(path, name);
      const error = { status: 400, code: check.mandatoryCode, target, ...rule.mandatoryMessage };
      (isNew ? check.errors : missing).push(error);
      continue;
    }
    if (rule.isMandatory && isBlank(value)) {
      const target = memberOf(path, name);
      const { mandatoryCode: code } = check;
      check.errors.push({ status: 400, code, target, args: [value], ...rule.mandatoryMessage });
    } else if (value !== null) {
      const { flat: { element }, assertions } = rule;
      const target = path === "" ? name : memberOf(path, name);
      checkValue(check, value, { element, assertions, target });
      if (holdsUnstorable(value)) check.add("ASSERT_CHARACTERS", target);
    }
  }
  if (check.errors.length > first + 1) {
    addAll(check.errors, sortAs(Object.keys(row), check.errors.splice(first)));
  }
  if (immutable.length + missing.length > 0) check.unknown.push({ entity, row, known, immutable, missing });
  if (!isParameter) checkTargets(check, row, place);
  checkChildren(check, row, place);
}

/** Puts the violations of a row in the order of its members; what it lacks comes first. */
function sortAs(names: readonly string[], errors: ErrorProperties[]): ErrorProperties[] {
  const at = ({ target = "" }: ErrorProperties) => names.indexOf(target.slice(target.lastIndexOf("/") + 1));
  return errors.sort((a, b) => at(a) - at(b));
}

/** Whether a row that is a parameter lacks what is declared `not null`; keys may be given to it later. */
function isLacking({ flat, isNotNull, isMandatory, isSupplied }: ElementRule, value: unknown): boolean {
  if (flat.key || !isNotNull || isMandatory) return false;
  return value === null || (value === undefined && !isSupplied);
}

/** The path of a member of a row. */
function memberOf(path: string, name: string): string {
  return path ? `${path}/${name}` : name;
}

/**
 * Rows that associations lead to: a hidden one is not there, whoever refers to it (auth 7). The link of a child to its
 * parent is set by the deep write.
 */
function checkTargets(check: Check, row: Row, { entity, path, isNew, backLink, owner }: RowPlace): void {
  for (const { association, keys, target, isAsserted, isPart, isHidden, message } of targetRulesOf(entity)) {
    if (association === backLink || keys.some(({ name }) => name === backLink)) continue;
    // Keys of a row that is there already are those it is addressed by.
    if (!isNew && keys.every(({ name }) => entity.$flat.get(name)?.key)) continue;
    if (isPart && isWritten(row, row[association], keys)) continue;
    const values = keys.map(({ name }) => valueOfKey(row, association, name));
    if (values.some((value) => value === undefined || value === null)) continue;
    const access = check.pass && isRestricted(target) ? accessOf(check.pass, target, "READ") : "all";
    const ways = check.pass && isHidden ? waysToParts(check.pass, target) : undefined;
    if (access === "all" && !isAsserted && !ways) continue;
    const name = keys[0]!.name;
    const references = Object.fromEntries(keys.map((one, index) => [one.name, values[index]]));
    check.targets.push({
      entity: target,
      keys: Object.fromEntries(keys.map((one, index) => [one.target, values[index]])),
      path: path ? `${path}/${name}` : name,
      value: values[0],
      message,
      ...(typeof access === "string" ? {} : { permitted: access }),
      ...(ways ? { ways } : {}),
      ...(access === "none" ? { refusal: refusal(check.pass!, () => missingRole(target, "READ")) } : {}),
      ...(owner ? { owner: { row: owner, references } } : {}),
    });
  }
}

/** Whether a part is in the data, to be written with the row: its foreign keys name no other one. */
function isWritten(row: Row, part: unknown, keys: readonly ForeignKey[]): boolean {
  return isRow(part) &&
    keys.every(({ name, target }) => row[name] === undefined || row[name] === part[target]);
}

function checkChildren(check: Check, row: Row, place: RowPlace): void {
  const { entity, path, isNew, isParameter, known } = place;
  for (const composition of entity.compositions) {
    const target = composition.$target;
    const value = row[composition.name];
    if (!target || value === undefined || value === null) continue;
    const base = path ? `${path}/${composition.name}` : composition.name;
    if (composition.is2many && !Array.isArray(value)) {
      check.add("ASSERT_ARRAY", base);
      continue;
    }
    const rows = Array.isArray(value) ? value : [value];
    rows.forEach((child, index) => {
      if (!isRow(child)) return check.add("ASSERT_DATA_TYPE", base, [String(child), target.name]);
      const at = composition.is2many ? `${base}${childKeyInPath(target, child) ?? `[${index}]`}` : base;
      const lacksKey = target.$flatKeys.some((key) => isGeneratedKey(key) && child[key.name] === undefined);
      const backLink = backLinkOf(composition);
      const isInserted = isNew || lacksKey;
      const owner = isInserted ? undefined : storedRow(target, child);
      checkRow(check, child, {
        entity: target,
        path: at,
        isNew: isInserted,
        isParameter,
        known: knownChild(composition, child, known),
        backLink,
        owner,
      });
    });
  }
}

interface ValuePlace extends Pick<ElementRule, "assertions"> {
  readonly element: LinkedElement;
  readonly target: string;
}

function checkValue(check: Check, value: unknown, { element, target, assertions }: ValuePlace): void {
  const { items, elements } = element.$type;
  if (items) {
    if (!Array.isArray(value)) return check.add("ASSERT_ARRAY", target);
    value.forEach((item, index) => {
      if (item !== null) {
        checkValue(check, item, {
          element: items,
          target: `${target}[${index}]`,
          assertions: assertionsOfItems(element),
        });
      }
    });
    return;
  }
  if (elements) {
    if (!isRow(value)) return check.add("ASSERT_DATA_TYPE", target, ["The value", "structure"]);
    const entity = check.entityOf(element);
    if (!entity) return checkParameters(check, value, { elements, path: target });
    return checkRow(check, value, { entity, path: target, isNew: true, isParameter: true, known: value });
  }
  if (!isOfType(value, element.$type, check.stringLength) && !(check.looseIds && isLooseId(value, element))) {
    const shown = typeof value === "object" ? "The value" : value;
    check.add("ASSERT_DATA_TYPE", target, [shown, typeText(element.$type, check.stringLength)]);
  }
  for (const assertion of assertions) {
    const error = assertion(value);
    if (error) check.errors.push({ ...error, target });
  }
}

/** Parameters of an operation, or the members of a structure in them. */
function checkParameters(
  check: Check,
  values: Row,
  { elements, path }: { readonly elements: LinkedElements; readonly path: string },
): void {
  for (const element of elements) {
    const { name, value } = parameterIn(values, element);
    const target = memberOf(path, name);
    const isMandatory = element["@mandatory"] === true;
    if (value === undefined || value === null || (isMandatory && isBlank(value))) {
      // defaults replace what is missing, not explicit null
      if (value === undefined && element.default !== undefined) continue;
      if (isMandatory) check.add(check.mandatoryCode, target);
      else if (element.notNull) check.add("ASSERT_NOT_NULL", target);
      continue;
    }
    if (element.isAssociation) continue;
    checkValue(check, value, { element, target, assertions: assertionsOfElement(element) });
  }
}
