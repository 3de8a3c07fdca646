/**
 * `<fw-field>`: the value of a property, to be typed.
 *
 * @module
 */

import { button, h, newId, replace } from "./dom.js";
import { t } from "./texts.js";

const NUMBERS = /^Edm\.(?:S?Byte|Int16|Int32|Int64|Decimal|Double|Single)$/;
/** Numbers that JSON holds as texts, so that none loses a digit. */
const EXACT = /^Edm\.(?:Int64|Decimal)$/;
const LONG = 255;

/** One property with label, hint, control and error. */
export class FwField extends HTMLElement {
  #id = newId("field");
  #control;
  #error;
  #before;

  /** Fills the element: the property, its value, and what helps to choose one. */
  show({ property, value, isReadOnly = false, help }) {
    this.property = property;
    const hintId = `${this.#id}-hint`;
    this.#error = h("p", { class: "field-error", id: `${this.#id}-error` });
    this.#control = makeControl(property, {
      id: this.#id,
      "aria-describedby": `${hintId} ${this.#error.id}`,
      disabled: isReadOnly,
      required: property.isMandatory && !isReadOnly,
    });
    this.#control.value = toText(value ?? "", property);
    this.#before = this.#control.value;
    // what was wrong is being mended: the next answer says whether it is
    this.#control.addEventListener("input", () => this.fail());
    const hints = hintsOf(property);
    replace(
      this,
      h(
        "label",
        { for: this.#id },
        property.label,
        property.isMandatory && h("span", { "aria-hidden": "true" }, " *"),
      ),
      h(
        "div",
        { class: "control" },
        this.#control,
        help && !isReadOnly &&
          button("…", () => help(this), {
            class: "small",
            "aria-label": t("Value help for {0}", property.label),
          }),
      ),
      h("p", { class: "hint", id: hintId }, hints),
      this.#error,
    );
    return this;
  }

  /** Whether the user typed something else. */
  get isChanged() {
    return !this.#control.disabled && this.#control.value !== this.#before;
  }

  /** The value as JSON has it; undefined where nothing was typed. */
  get value() {
    return fromText(this.#control.value, this.property);
  }

  set value(value) {
    this.#control.value = toText(value ?? "", this.property);
    this.#control.dispatchEvent(new Event("input", { bubbles: true }));
  }

  /** Shows what is wrong with the value, or that nothing is. */
  fail(text) {
    if (text) this.#control.setAttribute("aria-invalid", "true");
    else this.#control.removeAttribute("aria-invalid");
    replace(this.#error, text);
  }

  focus() {
    this.#control.focus();
  }
}

function makeControl(property, attributes) {
  const { type, choices, isCollection } = property;
  if (choices || type === "Edm.Boolean") return makeSelect(property, attributes);
  if (isCollection || !type.startsWith("Edm.")) {
    return h("textarea", { ...attributes, rows: 3, spellcheck: "false" });
  }
  if (type === "Edm.String" && (property.maxLength ?? LONG + 1) > LONG) {
    return h("textarea", { ...attributes, rows: 3, maxlength: property.maxLength });
  }
  if (type === "Edm.Date") return h("input", { ...attributes, type: "date" });
  if (type === "Edm.TimeOfDay") return h("input", { ...attributes, type: "time", step: 1 });
  if (type === "Edm.DateTimeOffset") {
    return h("input", { ...attributes, type: "datetime-local", step: 0.001 });
  }
  const inputmode = NUMBERS.test(type) ? "decimal" : undefined;
  return h("input", { ...attributes, type: "text", inputmode, autocomplete: "off" });
}

function makeSelect({ choices, type }, attributes) {
  const options = type === "Edm.Boolean"
    ? [{ value: "true", name: t("yes") }, { value: "false", name: t("no") }]
    : choices;
  return h(
    "select",
    attributes,
    h("option", { value: "" }, ""),
    options.map(({ value, name }) => h("option", { value: String(value) }, name)),
  );
}

function hintsOf({ type, maxLength, minimum, maximum, doc, isMandatory, isCollection }) {
  return [
    isCollection ? `${type} []` : type.replace(/^Edm\./, ""),
    isMandatory && t("required"),
    maxLength && t("at most {0} characters", maxLength),
    minimum !== undefined && t("at least {0}", minimum),
    maximum !== undefined && t("at most {0}", maximum),
    doc,
  ].filter(Boolean).join(" · ");
}

function toText(value, { type, isCollection }) {
  if (value === "") return "";
  if (isCollection || typeof value === "object") return JSON.stringify(value, null, 1);
  if (type === "Edm.DateTimeOffset") return new Date(value).toISOString().replace("Z", "");
  return String(value);
}

function fromText(text, { type, choices, isCollection }) {
  if (text === "") return null;
  if (isCollection || (!type.startsWith("Edm.") && !choices)) return parseJson(text);
  if (type === "Edm.Boolean") return text === "true";
  if (type === "Edm.DateTimeOffset") return `${text.length === 16 ? `${text}:00` : text}Z`;
  if (type === "Edm.TimeOfDay" && text.length === 5) return `${text}:00`;
  // what is no number goes out as it is: the service says what it expected
  if (NUMBERS.test(type) && !EXACT.test(type) && text.trim() !== "" && Number.isFinite(Number(text))) {
    return Number(text);
  }
  return text;
}

function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new SyntaxError(t("Not valid JSON: {0}", error.message));
  }
}

customElements.define("fw-field", FwField);
