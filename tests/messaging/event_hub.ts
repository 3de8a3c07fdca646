/**
 * A small event hub on 127.0.0.1: takes CloudEvents over HTTP, stores them, and sends them to one webhook of each group,
 * again as long as it is asked to. What stands between applications in production.
 *
 * @module
 */

interface Stored {
  readonly headers: [string, string][];
  readonly body: Uint8Array<ArrayBuffer>;
  readonly key: string | null;
}

interface HubGroup {
  readonly webhooks: ((request: Request) => Promise<Response>)[];
  readonly waiting: Stored[];
  readonly blocked: Set<string>;
  next: number;
}

/** Stores and forwards. */
export class EventHub {
  readonly #groups: Map<string, HubGroup> = new Map();
  readonly #log: Stored[] = [];
  readonly #running: Set<Promise<void>> = new Set();
  readonly #closing = new AbortController();

  /** Takes events. */
  readonly fetch = async (request: Request): Promise<Response> => {
    const body = new Uint8Array(await request.arrayBuffer());
    const event = { headers: [...request.headers], body, key: request.headers.get("ce-partitionkey") };
    this.#log.push(event);
    for (const group of this.#groups.values()) {
      group.waiting.push(event);
      this.#work(group);
    }
    return new Response(null, { status: 202 });
  };

  /** Begins to send to a webhook, from the first event on. */
  add(name: string, webhook: (request: Request) => Promise<Response>): void {
    const group = this.#groups.get(name) ??
      { webhooks: [], waiting: [...this.#log], blocked: new Set<string>(), next: 0 };
    this.#groups.set(name, group);
    group.webhooks.push(webhook);
    this.#work(group);
  }

  /** Ends sending. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#running);
  }

  #work(group: HubGroup): void {
    while (group.webhooks.length > 0 && !this.#closing.signal.aborted) {
      const at = group.waiting.findIndex(({ key }) => key === null || !group.blocked.has(key));
      // one at a time keeps the order of everything
      if (at < 0 || group.blocked.has("")) return;
      const [event] = group.waiting.splice(at, 1);
      const run = this.#send(group, event).finally(() => this.#running.delete(run));
      this.#running.add(run);
    }
  }

  async #send(group: HubGroup, event: Stored): Promise<void> {
    group.blocked.add("");
    const webhook = group.webhooks[group.next++ % group.webhooks.length];
    const { status, headers } = await webhook(
      new Request("http://127.0.0.1/hook", { method: "POST", headers: event.headers, body: event.body }),
    );
    group.blocked.delete("");
    if (status === 503 || status === 429) {
      if (event.key !== null) group.blocked.add(event.key);
      const wait = Number(headers.get("retry-after")) * 1000;
      const later = this.#sleep(wait).then(() => {
        if (event.key !== null) group.blocked.delete(event.key);
        group.waiting.unshift(event);
        this.#work(group);
      }).finally(() => this.#running.delete(later));
      this.#running.add(later);
    }
    this.#work(group);
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#closing.signal.addEventListener("abort", () => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}
