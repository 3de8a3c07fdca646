/**
 * `<fw-form>`: the properties of an entity or the parameters of an operation, with their errors.
 *
 * @module
 */

import { ApiError } from "./api.js";
import { allows } from "./csdl.js";
import { button, h, newId, replace } from "./dom.js";
import { errorNotice } from "./notice.js";
import { unsaved } from "./state.js";
import { t } from "./texts.js";
import { pickValue } from "./value_help.js";

/** A form whose input stays until it is saved, whatever the service answers. */
export class FwForm extends HTMLElement {
  #fields = [];
  #parts = [];
  #notice = h("div");
  #place;

  /**
   * Fills the form.
   *
   * @param options `service`, `properties`, `row` (values), `isNew`, `place` (set), `parts` (compositions of new rows),
   * `submit` ({ text, run(values) }), `more` (buttons), `where` (for hints at roles)
   */
  show(
    {
      service,
      properties,
      row = {},
      isNew = true,
      isReadOnly = false,
      place,
      parts = [],
      submit,
      more = [],
      where,
    },
  ) {
    this.#place = where;
    const shown = properties.filter(({ isMedia, isComputed }) => !isMedia && !(isNew && isComputed));
    // what nobody can change stands behind what people came for
    this.#fields = shown.toSorted((a, b) => Number(!!a.isComputed) - Number(!!b.isComputed)).map(
      (property) => {
        const locked = isReadOnly || property.isComputed ||
          (!isNew && (property.isKey || property.isImmutable));
        return document.createElement("fw-field").show({
          property,
          value: row[property.name] ?? (isNew ? property.standard : undefined),
          isReadOnly: locked,
          help: helpFor(service, { property, place }),
        });
      },
    );
    this.#parts = parts.map((part) => new PartsEditor(service, part));
    const form = h(
      "form",
      { novalidate: true, onsubmit: (event) => this.#submit(event, submit), oninput: () => this.#note() },
      this.#notice,
      h("div", { class: "fields" }, this.#fields),
      this.#parts.map((part) => part.element),
      h(
        "div",
        { class: "buttons" },
        submit && !isReadOnly && h("button", { class: "main" }, submit.text),
        more,
      ),
    );
    replace(this, form);
    return this;
  }

  disconnectedCallback() {
    unsaved.delete(this);
  }

  /** What was typed. */
  values() {
    const values = {};
    for (const field of this.#fields) {
      field.fail();
      if (field.isChanged) values[field.property.name] = field.value;
    }
    for (const part of this.#parts) {
      const rows = part.values();
      if (rows.length > 0) values[part.name] = rows;
    }
    return values;
  }

  /** Sets values from elsewhere, for example from value help. */
  set(values) {
    for (const field of this.#fields) {
      if (field.property.name in values) field.value = values[field.property.name];
    }
  }

  /** Forgets that something is unsaved. */
  settle() {
    unsaved.delete(this);
    replace(this.#notice);
  }

  #note() {
    if (this.#fields.some(({ isChanged }) => isChanged) || this.#parts.some(({ rows }) => rows.length > 0)) {
      unsaved.add(this);
    } else unsaved.delete(this);
  }

  async #submit(event, { run }) {
    event.preventDefault();
    // forms of parts lie within this one
    event.stopPropagation();
    replace(this.#notice);
    const submitter = this.querySelector("button.main");
    submitter.disabled = true;
    try {
      await run(this.values(), this);
    } catch (error) {
      this.fail(error);
    } finally {
      submitter.disabled = false;
    }
  }

  /** Shows errors at the fields they are about, and all others above the form. */
  fail(error, more = []) {
    const left = (error.parts ?? []).filter((part) => !this.failField(part));
    const isShown = error instanceof ApiError && error.parts.length > 0 && left.length === 0;
    const first = this.querySelector("[aria-invalid]");
    if (!isShown) replace(this.#notice, errorNotice(error, { where: this.#place, more }));
    if (first) first.focus();
    else this.#notice.scrollIntoView?.({ block: "nearest" });
  }

  /** Shows a part of an error at its field; false where there is none. */
  failField({ target, message }) {
    const names = String(target ?? "").split("/").map((name) => name.replace(/\(.*$/, "")).filter(Boolean);
    const part = this.#parts.find(({ name }) => names.includes(name));
    if (part?.fail(target, message)) return true;
    if (names.length === 0) return false;
    const field = this.#fields.find(({ property }) => property.name === names.at(-1)) ??
      this.#fields.find(({ property }) => property.navigation?.name === names.at(-1));
    field?.fail(message);
    return field !== undefined;
  }
}

function helpFor(service, { property, place }) {
  const set = property.valueList?.CollectionPath ??
    service?.sets.get(place)?.bindings[property.navigation?.name];
  if (!set || !service?.sets.has(set)) return undefined;
  return async (field) => {
    const row = await pickValue(service, { set, label: property.label });
    if (row) applyChoice(field, { property, row });
  };
}

/** Values of the chosen row go where the value list, or else the association, says. */
function applyChoice(field, { property, row }) {
  const pairs = (property.valueList?.Parameters ?? []).filter((one) => one.LocalDataProperty)
    .map((one) => [one.LocalDataProperty, one.ValueListProperty]);
  const constraint = Object.entries(property.navigation?.constraint ?? {});
  const values = Object.fromEntries(
    (pairs.length > 0 ? pairs : constraint).map(([own, other]) => [own, row[other]]),
  );
  field.closest("fw-form").set(values);
  field.focus();
}

/** New rows of a composition, within the form of the row they belong to. */
class PartsEditor {
  constructor(service, { name, label, type, properties }) {
    this.name = name;
    this.rows = [];
    this.list = h("div");
    this.id = newId("part");
    this.add = () => {
      const form = document.createElement("fw-part-row").show({ service, properties, type });
      this.rows.push(form);
      const remove = button(t("Remove"), () => {
        this.rows.splice(this.rows.indexOf(form), 1);
        card.remove();
      }, { class: "small" });
      const card = h(
        "div",
        { class: "card", role: "group", "aria-label": `${label} ${this.rows.length}` },
        form,
        remove,
      );
      this.list.append(card);
      form.querySelector("input, select, textarea")?.focus();
    };
    this.element = h(
      "section",
      { "aria-labelledby": this.id },
      h("h3", { id: this.id }, label),
      this.list,
      button(t("Add {0}", label), this.add, { class: "small" }),
    );
  }

  values() {
    return this.rows.map((row) => row.values());
  }

  /** Errors of rows tell their position, as in `items/0/quantity` or `items(0)/quantity`. */
  fail(target, message) {
    const [, index = "0"] = new RegExp(`${this.name}[/([]+(\\d+)`).exec(target) ?? [];
    return (this.rows[Number(index)] ?? this.rows[0])?.fail(String(target).split("/").at(-1), message) ??
      false;
  }
}

/** Fields of a new part. */
class FwPartRow extends HTMLElement {
  show({ service, properties }) {
    this.fields = properties.filter(({ isMedia, isComputed }) => !isMedia && !isComputed).map((property) =>
      document.createElement("fw-field").show({
        property,
        value: property.standard,
        help: undefined,
        service,
      })
    );
    return replace(this, h("div", { class: "fields" }, this.fields));
  }

  values() {
    const changed = this.fields.filter(({ isChanged }) => isChanged);
    return Object.fromEntries(changed.map((field) => [field.property.name, field.value]));
  }

  fail(name, message) {
    const field = this.fields.find(({ property }) => property.name === name);
    field?.fail(message);
    return field !== undefined;
  }
}

customElements.define("fw-part-row", FwPartRow);
customElements.define("fw-form", FwForm);

/** Compositions of a type whose rows can be typed together with a new row. */
export function partsOf(service, type) {
  return type.navigations.filter(({ isPart, isCollection, name }) =>
    isPart && isCollection && name !== "texts"
  )
    .map(({ name, label, type: target }) => ({
      name,
      label,
      type: target,
      properties: (service.types.get(target)?.properties ?? []).filter(({ navigation }) =>
        navigation?.type !== type.name
      ),
    }));
}

/** Whether rows of a set can be made or changed. */
export function mayWrite(service, set, what) {
  return set !== undefined && allows(service, set, what);
}
