/**
 * Messages: channels, events, what waits, the last messages, and those that were given up.
 *
 * @module
 */

import { send } from "./api.js";
import { button, h, replace } from "./dom.js";
import { errorNotice, say } from "./notice.js";
import { pretty } from "./operations.js";
import { state } from "./state.js";
import { t } from "./texts.js";
import { confirmed } from "./value_help.js";

/** The view of messages. */
export function showMessages(main) {
  const { channels, services, letters, messages } = state.info;
  const list = h("div");
  const recent = h("div");
  const nothing = () => h("p", { class: "soft" }, t("None"));
  const waiting = h("div", {}, nothing());
  const read = async () => {
    try {
      const { body } = await send("GET", letters);
      replace(list, table(body.value, { letters, read }));
      const states = await send("GET", `${letters}/states`).catch(unlessMultitenant);
      const last = await send("GET", messages).catch(unlessMultitenant);
      replace(recent, last?.body.value.length > 0 ? recentTable(last.body.value) : nothing());
      replace(waiting, states?.body.value.length > 0 ? waitingTable(states.body.value) : nothing());
    } catch (error) {
      replace(list, errorNotice(error));
    }
  };
  read();
  const events = services.flatMap(({ name, events }) => events.map((event) => `${name}.${event}`));
  main.append(
    h(
      "section",
      {},
      h("h2", {}, t("Channels")),
      channels.length === 0 ? h("p", { class: "soft" }, t("No channels: events stay in the process")) : h(
        "ul",
        {},
        channels.map(({ name, kind, group }) =>
          h("li", {}, `${name}: ${kind}, `, t("consumer group"), " ", h("code", {}, group))
        ),
      ),
    ),
    h(
      "section",
      {},
      h("h2", {}, t("Events")),
      events.length === 0
        ? h("p", { class: "soft" }, t("None"))
        : h("ul", {}, events.map((event) => h("li", {}, h("code", {}, event)))),
    ),
    h("section", {}, h("h2", {}, t("Waiting")), waiting),
    h(
      "section",
      {},
      h("h2", {}, t("Dead letters")),
      h("div", { class: "buttons" }, button(t("Refresh"), read)),
      list,
    ),
    h("section", {}, h("h2", {}, t("Last messages")), recent),
  );
}

/** Counts of all tenants are for none of them. */
function unlessMultitenant(error) {
  if (error.status === 404) return undefined;
  throw error;
}

function waitingTable(states) {
  const age = ({ oldestAgeMs }) => oldestAgeMs === undefined ? "–" : `${Math.round(oldestAgeMs / 1000)} s`;
  return tableOf(
    t("Waiting"),
    ["Service", "Place", "Waiting", "Oldest", "Dead letters"],
    states.map((state) =>
      h(
        "tr",
        {},
        h("td", {}, state.target),
        h("td", {}, state.place === "outbox" ? t("Outbox") : t("Channel")),
        h("td", {}, String(state.waiting ?? "–")),
        h("td", {}, age(state)),
        h("td", {}, String(state.dead ?? "–")),
      )
    ),
  );
}

/** What went through the channels of this process. */
function recentTable(messages) {
  return tableOf(
    t("Last messages"),
    ["Event", "Time", "Direction", "Channel", "Content"],
    messages.map(({ topic, at, group, deliveries, channel, text }) =>
      h(
        "tr",
        {},
        h("td", {}, topic),
        h("td", {}, new Date(at).toLocaleTimeString(state.language)),
        h("td", {}, group === undefined ? t("Sent") : t(deliveries > 1 ? "Received again" : "Received")),
        h("td", {}, channel),
        h("td", {}, h("details", {}, h("summary", {}, t("Show")), indented(text))),
      )
    ),
  );
}

/** JSON by lines; what was cut is shown as it is. */
function indented(text) {
  try {
    return pretty(JSON.parse(text));
  } catch {
    return pretty(`${text}…`);
  }
}

/** A table; where there is little room each row is a card, whose cells name their columns. */
function tableOf(label, columns, rows) {
  for (const row of rows) {
    for (const [at, cell] of [...row.children].entries()) cell.dataset.label = t(columns[at]);
  }
  return h(
    "div",
    { class: "scroll cells", tabindex: 0, role: "region", "aria-label": label },
    h(
      "table",
      {},
      h("thead", {}, h("tr", {}, columns.map((one) => h("th", { scope: "col" }, t(one))))),
      h("tbody", {}, rows),
    ),
  );
}

function table(rows, { letters, read }) {
  if (rows.length === 0) return h("p", { class: "soft" }, t("No dead letters"));
  return tableOf(
    t("Dead letters"),
    ["Event", "Service", "Attempts", "Error", "Actions"],
    rows.map((row) => letterRow(row, { letters, read })),
  );
}

function letterRow({ id, event, service, attempts, lastError }, { letters, read }) {
  const url = `${letters}/${encodeURIComponent(id)}`;
  const details = h("div");
  const act = async (work, text) => {
    try {
      await work();
      if (text) say(text);
      if (text) await read();
    } catch (error) {
      replace(details, errorNotice(error));
    }
  };
  const show = () => act(async () => replace(details, pretty((await send("GET", url)).body)));
  const replay = () => act(() => send("POST", `${url}/replay`), t("Replayed"));
  const discard = async () => {
    if (await confirmed(t("Discard this message for good?"), t("Discard"))) {
      return act(() => send("DELETE", url), t("Discard"));
    }
  };
  return h(
    "tr",
    {},
    h("td", {}, event, details),
    h("td", {}, service),
    h("td", {}, String(attempts)),
    // the stack behind it is among the details
    h("td", {}, String(lastError ?? "").split("\n")[0]),
    h(
      "td",
      {},
      h(
        "div",
        { class: "buttons" },
        button(t("Show"), show, { class: "small", "aria-label": `${t("Show")} ${event}` }),
        button(t("Replay"), replay, { class: "small", "aria-label": t("Replay {0}", event) }),
        button(t("Discard"), discard, { class: "small", "aria-label": t("Discard {0}", event) }),
      ),
    ),
  );
}
