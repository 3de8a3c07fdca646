/**
 * Elements made in code. Texts become text nodes only: nothing in a row of data is ever read as HTML.
 *
 * @module
 */

const SVG = "http://www.w3.org/2000/svg";

/** Creates an element: functions are listeners, `true` an empty attribute, `undefined` and `false` none. */
export function h(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** Creates an element of SVG. */
export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (name === "value") element.value = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat(Infinity).filter(isShown));
  return element;
}

/** Puts other children in place of those an element has. */
export function replace(element, ...children) {
  element.replaceChildren(...children.flat(Infinity).filter(isShown));
  return element;
}

function isShown(child) {
  return child !== undefined && child !== null && child !== false;
}

let count = 0;

/** An id that no other element of the page has. */
export function newId(prefix) {
  return `${prefix}-${++count}`;
}

/** A button. */
export function button(text, onclick, attributes = {}) {
  return h("button", { type: "button", onclick, ...attributes }, text);
}

/** Copies a text and says so at the button. */
export function copyButton(name, text) {
  const made = button(name, async () => {
    await navigator.clipboard.writeText(typeof text === "function" ? text() : text);
    made.dataset.copied = "";
    setTimeout(() => delete made.dataset.copied, 1500);
  }, { class: "small copy" });
  return made;
}
