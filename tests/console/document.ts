/**
 * A document without a browser: as much of the DOM as the console uses. What its pages do in a browser, `console_test.ts` tries;
 * here each branch of their modules is tried within milliseconds. To be imported before them.
 *
 * @module
 */

type Listener = (this: PageElement, event: Event) => unknown;
type Child = PageElement | string;

/** Elements by their names, as pages define them. */
const defined = new Map<string, new () => PageElement>();
/** What names an element that is made by `new`. */
let naming = "";

/** An element: its attributes, children and listeners. */
export class PageElement {
  readonly tag = naming;
  readonly attributes = new Map<string, string>();
  readonly style = {};
  parent: PageElement | undefined;
  childNodes: Child[] = [];
  /** How often it was scrolled to. */
  scrolled = 0;
  checked = false;
  open = false;
  files: readonly unknown[] = [];
  #value: string | undefined;
  readonly #listeners = new Map<string, Set<Listener>>();

  /** `data-` attributes. */
  readonly dataset: Record<string, string> = new Proxy({} as Record<string, string>, {
    get: (_, name) => this.attributes.get(`data-${String(name)}`),
    set: (_, name, value) => (this.setAttribute(`data-${String(name)}`, value), true),
    deleteProperty: (_, name) => (this.removeAttribute(`data-${String(name)}`), true),
  });

  get children(): PageElement[] {
    return this.childNodes.filter((one) => one instanceof PageElement);
  }

  get id(): string {
    return this.attributes.get("id") ?? "";
  }

  get textContent(): string {
    return this.childNodes.map((one) => typeof one === "string" ? one : one.textContent).join("");
  }

  get disabled(): boolean {
    return this.attributes.has("disabled");
  }

  set disabled(on: boolean) {
    this.#toggle("disabled", on);
  }

  get hidden(): boolean {
    return this.attributes.has("hidden");
  }

  set hidden(on: boolean) {
    this.#toggle("hidden", on);
  }

  /** Of options their attribute or text, of lists the chosen option, of all else what was typed. */
  get value(): string {
    if (this.tag === "option") return this.#value ?? this.textContent;
    if (this.tag !== "select") return this.#value ?? "";
    const values = this.all("option").map((option) => option.value);
    return this.#value !== undefined && values.includes(this.#value) ? this.#value : values[0] ?? "";
  }

  set value(value: unknown) {
    this.#value = String(value);
  }

  setAttribute(name: string, value: unknown): void {
    this.attributes.set(name, String(value));
    if (name === "checked") this.checked = true;
  }

  getAttribute(name: string): string | null {
    return this.attributes.get(name) ?? null;
  }

  removeAttribute(name: string): void {
    this.attributes.delete(name);
  }

  append(...children: readonly Child[]): void {
    for (const child of children) {
      if (child instanceof PageElement) {
        child.#detach();
        child.parent = this;
      }
      this.childNodes.push(child instanceof PageElement ? child : String(child));
    }
  }

  prepend(...children: readonly Child[]): void {
    this.append(...children);
    this.childNodes.unshift(...this.childNodes.splice(-children.length));
  }

  replaceChildren(...children: readonly Child[]): void {
    for (const child of this.children) if (!children.includes(child)) child.remove();
    this.childNodes = [];
    this.append(...children);
  }

  replaceWith(other: PageElement): void {
    const { parent } = this;
    if (!parent) return;
    const at = parent.childNodes.indexOf(this);
    this.remove();
    parent.append(other);
    parent.childNodes.splice(at, 0, ...parent.childNodes.splice(-1));
  }

  remove(): void {
    this.#detach();
    for (const one of [this, ...this.all("*")]) one.disconnectedCallback();
  }

  disconnectedCallback(): void {}

  addEventListener(type: string, listener: Listener): void {
    const known = this.#listeners.get(type) ?? new Set();
    this.#listeners.set(type, known.add(listener));
  }

  dispatchEvent(event: Event): boolean {
    Object.defineProperty(event, "target", { value: this });
    for (const one of event.bubbles ? this.#upwards() : [this]) {
      for (const listener of one.#listeners.get(event.type) ?? []) listener.call(one, event);
      if (event.cancelBubble) break;
    }
    return !event.defaultPrevented;
  }

  focus(): void {
    page.focused = this;
  }

  scrollIntoView(): void {
    this.scrolled++;
  }

  showModal(): void {
    this.setAttribute("open", "");
  }

  close(): void {
    this.removeAttribute("open");
    this.dispatchEvent(new Event("close"));
  }

  closest(selector: string): PageElement | null {
    return matches(this, selector) ? this : this.parent?.closest(selector) ?? null;
  }

  querySelectorAll(selector: string): PageElement[] {
    return this.all(selector);
  }

  querySelector(selector: string): PageElement | null {
    return this.all(selector)[0] ?? null;
  }

  /** All elements below it that a selector chooses, in order. */
  all(selector: string): PageElement[] {
    return this.children.flatMap((child) => [
      ...(selector.split(",").some((one) => matches(child, one.trim())) ? [child] : []),
      ...child.all(selector),
    ]);
  }

  /** The only element below it that a selector chooses. */
  one(selector: string): PageElement {
    const found = this.all(selector);
    if (found.length !== 1) throw new Error(`${found.length} elements are ${selector} in ${html(this)}`);
    return found[0];
  }

  /** The button with a text or label. */
  button(name: string): PageElement {
    const found = this.all("button").filter((one) =>
      one.textContent === name || one.getAttribute("aria-label") === name
    );
    if (found.length !== 1) throw new Error(`${found.length} buttons are called ${name} in ${html(this)}`);
    return found[0];
  }

  #upwards(): PageElement[] {
    return [this, ...this.parent ? this.parent.#upwards() : []];
  }

  #detach(): void {
    const { parent } = this;
    if (parent) parent.childNodes = parent.childNodes.filter((one) => one !== this);
    this.parent = undefined;
  }

  #toggle(name: string, on: boolean): void {
    if (on) this.setAttribute(name, "");
    else this.removeAttribute(name);
  }
}

/** `a b`, where `a` and `b` are like `tag.class#id[name=value]`. */
function matches(element: PageElement, selector: string): boolean {
  const parts = selector.split(" ");
  if (!isSimply(element, parts.at(-1)!)) return false;
  if (parts.length === 1) return true;
  return element.parent !== undefined && element.parent.closest(parts.slice(0, -1).join(" ")) !== null;
}

function isSimply(element: PageElement, selector: string): boolean {
  return [...selector.matchAll(/([.#]?)([\w-]+)|\[([\w-]+)(?:=([^\]]*))?\]/g)].every(
    ([, mark, name, attribute, value]) => {
      if (mark === ".") return element.getAttribute("class")?.split(" ").includes(name);
      if (mark === "#") return element.id === name;
      if (name !== undefined) return element.tag === name;
      return value === undefined
        ? element.attributes.has(attribute)
        : element.getAttribute(attribute) === value;
    },
  );
}

/** An element as a text; numbers of ids are left out. */
export function html(one: Child | readonly Child[] | undefined): string {
  if (one === undefined || typeof one === "string") return one ?? "";
  if (!(one instanceof PageElement)) return (one as readonly Child[]).map(html).join("");
  const given = [...one.attributes].map(([name, value]) =>
    ` ${name}` + (value === "" ? "" : `=${/[ "]/.test(value) ? JSON.stringify(value) : value}`)
  );
  const value = /^(?:input|select|textarea|option)$/.test(one.tag) && one.value !== one.textContent
    ? ` value=${JSON.stringify(one.value)}`
    : "";
  const text = `<${one.tag}${given.join("")}${value}>${one.childNodes.map(html).join("")}</${one.tag}>`;
  return text.replace(/\b(field|caption|text|other|part|media|diagram|suggestions)-\d+/g, "$1");
}

/** How many requests have no answer yet. */
let asked = 0;

/** What is the page at the moment. */
export const page = {
  body: new PageElement(),
  focused: undefined as PageElement | undefined,
  /** What `confirm` is asked, and what it answers. */
  questions: [] as string[],
  answer: true,
  /** What was copied. */
  copied: [] as string[],
};

/** Waits until requests have answers, and the page has dealt with them. */
export async function settled(): Promise<void> {
  for (let idle = 0; idle < 4; idle++) {
    await new Promise((resolve) => setTimeout(resolve));
    if (asked > 0) idle = -1;
  }
}

/** Does something to an element, and waits for what follows from it. */
export async function does(element: PageElement, type: string, more: object = {}): Promise<Event> {
  const event = Object.assign(new Event(type, { bubbles: type !== "toggle", cancelable: true }), more);
  element.dispatchEvent(event);
  await settled();
  return event;
}

/** Types a text into a control. */
export async function types(element: PageElement, text: string): Promise<void> {
  element.value = text;
  await does(element, "input");
}

/** An element that a module of the page defines. */
export interface OwnElement extends PageElement {
  show(options: object): OwnElement | Promise<OwnElement>;
}

/** Makes an element. */
export function create<T extends PageElement = PageElement>(tag: string): T {
  naming = tag;
  return new (defined.get(tag) ?? PageElement)() as T; // who asks knows what the page defines
}

/** A store of the page that forgets all when the page is left. */
function store(): Pick<Storage, "getItem" | "setItem"> {
  const items = new Map<string, string>();
  return {
    getItem: (name) => items.get(name) ?? null,
    setItem: (name, value) => void items.set(name, value),
  };
}

/** What is global in a page, and a body that is empty. */
function pageGlobals(): Record<string, unknown> {
  const body = create("body");
  Object.assign(page, { body, focused: undefined, questions: [], answer: true, copied: [] });
  return {
    document: {
      body,
      documentElement: create("html"),
      title: "",
      createElement: create,
      createElementNS: (_: string, tag: string) => create(tag),
      getElementById: (id: string) => body.querySelector(`#${id}`),
      querySelector: (selector: string) => body.querySelector(selector),
      querySelectorAll: (selector: string) => body.querySelectorAll(selector),
    },
    location: { hash: "", reload: () => page.questions.push("reload") },
    history: { replaceState: (_: unknown, __: string, hash: string) => page.questions.push(`stay ${hash}`) },
    confirm: (text: string) => (page.questions.push(text), page.answer),
    scrollTo: () => page.questions.push("top"),
    sessionStorage: store(),
    localStorage: store(),
  };
}

/** Has a document around while something is done; requests go where they are sent. */
export async function withDocument(
  send: (path: string, options?: RequestInit) => Promise<Response>,
  use: (body: PageElement) => Promise<void> | void,
): Promise<void> {
  const ask = async (target: URL | RequestInfo, options?: RequestInit) => {
    asked++;
    try {
      const answer = await send(String(target), options);
      const isEmpty = answer.status === 204 || answer.status === 304;
      return new Response(isEmpty ? null : await answer.blob(), answer);
    } finally {
      asked--;
    }
  };
  const globals = { ...pageGlobals(), fetch: ask };
  const before = Object.keys(globals).map((
    name,
  ) => [name, Object.getOwnPropertyDescriptor(globalThis, name)]);
  for (const [name, value] of Object.entries(globals)) {
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  }
  try {
    await use(page.body);
    await settled();
  } finally {
    for (const [name, descriptor] of before as [string, PropertyDescriptor | undefined][]) {
      if (descriptor) Object.defineProperty(globalThis, name, descriptor);
      else Reflect.deleteProperty(globalThis, name);
    }
  }
}

// modules of the page define their elements when they are loaded
Object.assign(globalThis, {
  HTMLElement: PageElement,
  customElements: { define: (name: string, made: new () => PageElement) => void defined.set(name, made) },
});
