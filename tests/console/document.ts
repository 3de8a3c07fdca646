/**
 * The page of the console without a browser: `happy-dom` has the document, here is what tests do with it. What the console does
 * in a browser, `console_test.ts` tries; here each branch of its modules is tried within milliseconds. To be imported before
 * them.
 *
 * @module
 */

// @ts-types="./happy_dom.d.ts"
import { type DomElement, Window } from "happy-dom";
// the types of Node.js that Deno has: newer ones, which `happy-dom` asks for, would be those of all that is checked
import type {} from "node-types";

/** An element, and what tests ask of it. */
export interface PageElement extends DomElement<PageElement> {
  /** All elements below it that a selector chooses, in order. */
  all(selector: string): PageElement[];
  /** The only element below it that a selector chooses. */
  one(selector: string): PageElement;
  /** The only button below it with a text or label. */
  button(name: string): PageElement;
  readonly isFocused: boolean;
  /** How often it was scrolled to. */
  readonly scrolled: number;
}

/** An element that a module of the page defines. */
export interface OwnElement extends PageElement {
  show(options: object): OwnElement | Promise<OwnElement>;
}

const URL = "http://localhost/-/console";

/** The window of all tests of a file; errors of listeners are those of the test. */
export const window = new Window<PageElement>({ url: URL, settings: { errorCapture: "disabled" } });
const { document } = window;

const asked: ThisType<PageElement> = {
  all(selector: string) {
    return [...this.querySelectorAll(selector)];
  },
  one(selector: string) {
    return only(this.all(selector), () => `are ${selector} in ${html(this)}`);
  },
  button(name: string) {
    const isMeant = (one: PageElement) => one.textContent === name || one.getAttribute("aria-label") === name;
    return only(this.all("button").filter(isMeant), () => `are the button ${name} in ${html(this)}`);
  },
  get isFocused() {
    return document.activeElement === this;
  },
  scrolled: 0,
  scrollIntoView() {
    Object.assign(this, { scrolled: this.scrolled + 1 });
  },
};
Object.defineProperties(window.Element.prototype, Object.getOwnPropertyDescriptors(asked));

function only(found: readonly PageElement[], problem: () => string): PageElement {
  if (found.length !== 1) throw new Error(`${found.length} elements ${problem()}`);
  return found[0];
}

/** Makes an element. */
export function create<T extends PageElement = PageElement>(tag: string): T {
  return document.createElement(tag) as T; // who asks knows what the page defines
}

/** An element, or several, as a text; numbers of ids are left out. */
export function html(one: PageElement | Iterable<unknown> | undefined): string {
  if (one === undefined || typeof one === "string") return one ?? "";
  if (Symbol.iterator in one) return Array.from(one as Iterable<PageElement>, html).join("");
  const { localName: tag, value, textContent } = one;
  if (tag === undefined) return textContent;
  const isControl = /^(?:input|select|textarea|option)$/.test(tag);
  const given = [...one.attributes].filter(({ name }) => !isControl || name !== "value").map((attribute) =>
    ` ${attribute.name}${attribute.value && `=${quoted(attribute.value)}`}`
  );
  const typed = isControl && value !== textContent ? ` value=${JSON.stringify(value)}` : "";
  const text = `<${tag}${given.join("")}${typed}>${html(one.childNodes)}</${tag}>`;
  return text.replace(/\b(field|caption|text|other|part|media|diagram|suggestions)-\d+/g, "$1");
}

function quoted(text: string): string {
  return /[ "]/.test(text) ? JSON.stringify(text) : text;
}

/** What happens around the page. */
export const page = {
  /** How many requests have no answer yet. */
  waiting: 0,
  /** What `confirm` is asked, and other ways out of the page. */
  questions: [] as string[],
  /** What `confirm` answers. */
  answer: true,
  /** What was copied. */
  copied: [] as string[],
};

/** Waits until requests have answers, and the page has dealt with them. */
export async function settled(): Promise<void> {
  for (let idle = 0; idle < 4; idle++) {
    await new Promise((resolve) => setTimeout(resolve));
    if (page.waiting > 0) idle = -1;
  }
}

/** Does something to an element, and waits for what follows from it. */
export async function does(element: PageElement, type: string, more: object = {}): Promise<Event> {
  const event = new window.Event(type, { bubbles: type !== "toggle", cancelable: true });
  element.dispatchEvent(Object.assign(event, more));
  await settled();
  return event;
}

/** Types a text into a control. */
export async function types(element: PageElement, text: string): Promise<void> {
  element.value = text;
  await does(element, "input");
}

/** Has an empty page around while something is done; requests go where they are sent. */
export async function withDocument(
  send: (path: string, options?: RequestInit) => Promise<Response>,
  use: (body: PageElement) => Promise<void> | void,
): Promise<void> {
  const { fetch } = globalThis;
  globalThis.fetch = async (target, options) => {
    page.waiting++;
    try {
      const answer = await send(String(target), options);
      const isEmpty = answer.status === 204 || answer.status === 304;
      return new Response(isEmpty ? null : await answer.blob(), answer);
    } finally {
      page.waiting--;
    }
  };
  window.sessionStorage.clear();
  window.localStorage.clear();
  window.history.replaceState(null, "", URL);
  document.body.replaceChildren();
  Object.assign(page, { questions: [], answer: true, copied: [] });
  try {
    await use(document.body);
    await settled();
  } finally {
    globalThis.fetch = fetch;
  }
}

Object.defineProperty(window.location, "reload", { value: () => page.questions.push("reload") });
const objects = ["document", "location", "history", "sessionStorage", "localStorage", "customElements"];
const classes = ["HTMLElement", "Event", "EventTarget"];
const globals = {
  ...Object.fromEntries([...objects, ...classes].map((name) => [name, Reflect.get(window, name)])),
  addEventListener: window.addEventListener.bind(window),
  removeEventListener: window.removeEventListener.bind(window),
  confirm: (text: string) => (page.questions.push(text), page.answer),
  scrollTo: () => page.questions.push("top"),
};
for (const [name, value] of Object.entries(globals)) {
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
}
