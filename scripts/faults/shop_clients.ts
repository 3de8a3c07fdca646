/**
 * Clients of the shop of the fault tests: they read, order and change what they have ordered, and remember the answers.
 *
 * @module
 */

import { pause } from "../../src/util/time.ts";

/** What clients are told. */
export interface ClientsOptions {
  /** Servers that take requests at the moment. */
  readonly origins: () => readonly string[];
  readonly clients: number;
  /** Users, one of which each request is from. */
  readonly users: readonly string[];
  /** How long a client waits between requests, in milliseconds. */
  readonly paceMs?: number;
  /** Orders of one more client, which sends many at once. */
  readonly ordersPerSecond?: number;
}

/** How often the one who sends many orders does so, and how many it sends then. */
const FEED_MS = 250;
const MOST_AT_ONCE = 1_000;

/** Sends requests until it is stopped. */
export class ShopClients {
  /** Requests by status; 0 for those without an answer. */
  readonly statuses: Map<number, number> = new Map();
  /** Ids of orders by user whose making was answered with success. */
  readonly ordered: Map<string, string[]> = new Map();
  /** Ids of all orders that were sent. */
  readonly sent: Set<string> = new Set();
  /** Milliseconds of requests that were answered with success, at most the last hundred thousand. */
  times: number[] = [];
  /** The first texts of answers that are neither success nor refusal. */
  readonly failures: string[] = [];
  readonly #options: ClientsOptions;
  #isStopped = false;
  readonly #running: Promise<unknown>;

  /** @param options whom they ask */
  constructor(options: ClientsOptions) {
    this.#options = options;
    const { clients, ordersPerSecond = 0 } = options;
    const all = Array.from({ length: clients }, (_, n) => this.#run(n));
    this.#running = Promise.all([...all, ...ordersPerSecond > 0 ? [this.#feed(ordersPerSecond)] : []]);
  }

  /** How many requests there were. */
  get count(): number {
    return [...this.statuses.values()].reduce((sum, one) => sum + one, 0);
  }

  /** Orders that were answered with success. */
  get acknowledged(): number {
    return [...this.ordered.values()].reduce((sum, { length }) => sum + length, 0);
  }

  /** How many requests got a status in a range. */
  answered(from: number, to: number): number {
    return [...this.statuses].reduce((sum, [status, n]) => status >= from && status <= to ? sum + n : sum, 0);
  }

  /** The time within which a share of the requests was answered. */
  within(share: number): number {
    const sorted = this.times.toSorted((one, other) => one - other);
    return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0);
  }

  /** Status and times, in words. */
  summary(): readonly string[] {
    const statuses = [...this.statuses].toSorted(([one], [other]) => one - other);
    return [
      `requests by status: ${statuses.map(([status, n]) => `${status}: ${n}`).join(", ")}`,
      `answered within ${this.within(0.5)} ms (half), ${this.within(0.99)} ms (99 %), ${
        this.within(1)
      } ms (all)`,
    ];
  }

  /** Takes over what others have ordered. */
  add({ ordered, sent }: ShopClients): void {
    for (const [user, ids] of ordered) this.ordered.set(user, [...this.ordered.get(user) ?? [], ...ids]);
    for (const id of sent) this.sent.add(id);
  }

  /** Lets them finish what they do. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  async #run(client: number): Promise<void> {
    const { paceMs = 0, users } = this.#options;
    for (let n = client; !this.#isStopped; n++) {
      await this.#ask(n, users[n % users.length]!);
      if (paceMs > 0) await pause(paceMs);
    }
  }

  /** Where it is late, it catches up. */
  async #feed(perSecond: number): Promise<void> {
    const began = performance.now();
    for (let ordered = 0, n = 0; !this.#isStopped; n++) {
      const due = Math.min(
        MOST_AT_ONCE,
        Math.floor((performance.now() - began) / 1000 * perSecond) - ordered,
      );
      if (due > 0) {
        await this.#orderAll(this.#options.users[n % this.#options.users.length]!, due);
        ordered += due;
      }
      await pause(FEED_MS);
    }
  }

  async #orderAll(user: string, count: number): Promise<void> {
    const IDs = Array.from({ length: count }, () => crypto.randomUUID());
    for (const ID of IDs) this.sent.add(ID);
    const status = await this.#send(user, "POST orderAll", { IDs });
    if (status === 204) this.#confirm(user, IDs);
  }

  #confirm(user: string, ids: readonly string[]): void {
    const own = this.ordered.get(user);
    if (own) own.push(...ids);
    else this.ordered.set(user, [...ids]);
  }

  async #ask(n: number, user: string): Promise<void> {
    const known = this.ordered.get(user);
    const own = known?.at(-1);
    if (n % 4 === 0) return await this.#order(user);
    if (n % 4 === 1 || own === undefined) {
      return void await this.#send(user, "GET Orders?$top=20&$orderby=ID");
    }
    if (n % 4 === 2) return void await this.#send(user, `GET Orders(${own})`);
    await this.#send(user, `PATCH Orders(${own})`, { item: `item ${n}` });
  }

  async #order(user: string): Promise<void> {
    const ID = crypto.randomUUID();
    this.sent.add(ID);
    if (await this.#send(user, "POST Orders", { ID, item: "book" }) === 201) this.#confirm(user, [ID]);
  }

  /** Another server is asked where one takes no connection any more: that is what a load balancer does. */
  async #send(user: string, request: string, body?: unknown): Promise<number> {
    const [method, path] = request.split(" ") as [string, string];
    const began = performance.now();
    let status = 0;
    let text = "";
    for (let tries = 0; tries < 3; tries++) {
      const origins = this.#options.origins();
      const origin = origins[Math.floor(Math.random() * origins.length)];
      try {
        const response = await fetch(`${origin}/odata/v4/shop/${path}`, {
          method,
          headers: { "content-type": "application/json", authorization: `Basic ${btoa(`${user}:`)}` },
          ...body === undefined ? {} : { body: JSON.stringify(body) },
          signal: AbortSignal.timeout(60_000),
        });
        text = await response.text();
        status = response.status;
        break;
      } catch (error) {
        text = String(error);
        if (!/onnection refused/.test(text)) break;
        await pause(20);
      }
    }
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    if (status >= 200 && status < 300) this.#took(performance.now() - began);
    else if (this.failures.length < 20) {
      this.failures.push(`${request}: ${status} ${text.slice(0, 300)}`);
    }
    return status;
  }

  #took(ms: number): void {
    if (this.times.length >= 100_000) this.times = this.times.slice(50_000);
    this.times.push(ms);
  }
}
