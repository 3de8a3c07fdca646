/**
 * What tests use of `happy-dom`: its own types are those of a browser, where each kind of element is another one.
 *
 * @module
 */

/** An element, with what controls and details have. */
export interface DomElement<E> extends EventTarget {
  readonly localName: string;
  readonly attributes: Iterable<{ readonly name: string; readonly value: string }>;
  readonly dataset: Readonly<Record<string, string | undefined>>;
  readonly childNodes: Iterable<unknown>;
  readonly children: Iterable<E> & ArrayLike<E>;
  readonly lastElementChild: E;
  readonly id: string;
  readonly textContent: string;
  readonly hidden: boolean;
  readonly disabled: boolean;
  readonly lang: string;
  value: string;
  checked: boolean;
  open: boolean;
  files: readonly unknown[];
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  append(...children: readonly (E | string)[]): void;
  replaceChildren(...children: readonly (E | string)[]): void;
  querySelectorAll(selector: string): Iterable<E>;
  focus(): void;
  blur(): void;
}

/** A window that shows nothing. */
export class Window<E extends DomElement<E>> extends EventTarget {
  constructor(options: { readonly url: string; readonly settings: { readonly errorCapture: "disabled" } });
  readonly document: {
    readonly title: string;
    readonly documentElement: E;
    readonly body: E;
    readonly activeElement: E;
    createElement(tag: string): E;
  };
  readonly location: { hash: string };
  readonly history: { replaceState(state: null, unused: string, url: string): void };
  readonly sessionStorage: Storage;
  readonly localStorage: Storage;
  readonly Element: { readonly prototype: E };
  readonly Event: typeof Event;
}
