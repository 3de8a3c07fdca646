/**
 * The requests that the console has sent, the explorer of URLs, and what OpenAPI says.
 *
 * @module
 */

import { exchange, requests, send, toBatch, toCurl } from "./api.js";
import { completions } from "./completions.js";
import { button, copyButton, h, newId, replace } from "./dom.js";
import { errorNotice } from "./notice.js";
import { hasOData, pretty } from "./operations.js";
import { events, ROOT, state } from "./state.js";
import { t } from "./texts.js";

const METHODS = ["GET", "POST", "PATCH", "PUT", "DELETE", "HEAD", "OPTIONS"];

/** The view of the API. */
export function showApi(main) {
  const list = h("section", { "aria-label": t("Requests") });
  const render = () => replace(list, h("h2", {}, t("Requests")), requestTable());
  render();
  events.addEventListener("requests", render);
  main.append(explorer(), list, openApi());
  return () => events.removeEventListener("requests", render);
}

function requestTable() {
  if (requests.length === 0) return h("p", { class: "soft" }, t("No requests yet: open some data"));
  return h(
    "ul",
    { class: "requests" },
    requests.map((request) => {
      const { method, url, answer } = request;
      const where = String(url).slice(String(ROOT).length - 1);
      const details = h(
        "details",
        { ontoggle: () => fillRequest(details, request) },
        h(
          "summary",
          {},
          h("span", { class: "badge" }, String(answer.status)),
          ` ${method} `,
          h("span", { class: "url" }, decodeURIComponent(where)),
          h("span", { class: "soft" }, ` ${answer.ms.toFixed(1)} ms`),
        ),
      );
      return h("li", {}, details);
    }),
  );
}

function fillRequest(details, request) {
  if (!details.open || details.dataset.filled === "") return;
  details.dataset.filled = "";
  const { url, body, answer } = request;
  details.append(
    h(
      "div",
      { class: "buttons" },
      copyButton(t("Copy curl"), () => toCurl(request)),
      copyButton(t("Copy URL"), String(url)),
      copyButton(t("Copy batch"), () => toBatch(request)),
    ),
    h("pre", { class: "curl", tabindex: 0 }, toCurl(request)),
    typeof body === "string" && pretty(body),
    h("h3", {}, t("Answer")),
    answerOf(answer),
  );
}

function answerOf({ headers, body }) {
  return h(
    "div",
    {},
    h(
      "details",
      {},
      h("summary", {}, t("Headers")),
      h("pre", { tabindex: 0 }, headers.map((one) => one.join(": ")).join("\n")),
    ),
    pretty(body),
  );
}

function explorer() {
  const url = h("input", {
    type: "text",
    role: "combobox",
    "aria-expanded": "false",
    "aria-autocomplete": "list",
    "aria-label": "URL",
    spellcheck: "false",
    autocomplete: "off",
    value: sessionStorage.getItem("fw-explorer") ?? firstPath(),
  });
  const method = h("select", { "aria-label": t("Method") }, METHODS.map((one) => h("option", {}, one)));
  const body = h("textarea", {
    rows: 4,
    "aria-label": t("Body"),
    spellcheck: "false",
    placeholder: t("Body"),
  });
  const result = h("div", { "aria-live": "polite" });
  const submit = async (event) => {
    event.preventDefault();
    sessionStorage.setItem("fw-explorer", url.value);
    const text = body.value.trim();
    const options = text === "" ? {} : { body: text, headers: { "content-type": "application/json" } };
    try {
      const answer = await exchange(method.value, `.${url.value.replace(/^\.?\/?/, "/")}`, options);
      const timing = answer.header("server-timing");
      replace(
        result,
        h(
          "p",
          {},
          h("span", { class: "badge" }, `${answer.status} ${answer.statusText}`),
          ` ${answer.ms.toFixed(1)} ms`,
          timing && ` · ${timing}`,
        ),
        answerOf(answer),
      );
    } catch (error) {
      replace(result, errorNotice(error));
    }
  };
  return h(
    "section",
    { id: "explorer" },
    h("h2", {}, t("Explorer")),
    h(
      "form",
      { class: "explorer", onsubmit: submit },
      method,
      withSuggestions(url),
      h("button", { class: "main" }, t("Send")),
      body,
    ),
    result,
  );
}

function firstPath() {
  const [first] = state.info.services.flatMap(({ endpoints }) => endpoints);
  return first ? `${first.path}/` : "/";
}

/** A text field with suggestions: arrows choose, Enter and Tab take, Escape closes. */
function withSuggestions(input) {
  const id = newId("suggestions");
  const list = h("ul", { id, role: "listbox", "aria-label": t("Suggestions"), hidden: true });
  input.setAttribute("aria-controls", id);
  let found = [];
  let chosen = -1;
  const close = () => {
    list.hidden = true;
    chosen = -1;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };
  const take = (one) => {
    input.value = one.text;
    input.focus();
    close();
    if (/[/=?&]$/.test(one.text)) suggest();
  };
  const mark = () => {
    [...list.children].forEach((item, index) => item.setAttribute("aria-selected", String(index === chosen)));
    if (chosen < 0) return input.removeAttribute("aria-activedescendant");
    input.setAttribute("aria-activedescendant", list.children[chosen].id);
    list.children[chosen].scrollIntoView({ block: "nearest" });
  };
  const suggest = async () => {
    found = await completions(input.value);
    replace(
      list,
      found.map((one, index) =>
        h("li", {
          role: "option",
          id: `${id}-${index}`,
          "aria-selected": "false",
          onmousedown: (event) => {
            event.preventDefault();
            take(one);
          },
        }, one.label)
      ),
    );
    chosen = -1;
    list.hidden = found.length === 0;
    input.setAttribute("aria-expanded", String(found.length > 0));
  };
  input.addEventListener("input", suggest);
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    if (list.hidden) return event.key === "ArrowDown" ? suggest() : undefined;
    if (event.key === "Escape") close();
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const next = event.key === "ArrowDown" ? chosen + 1 : Math.max(chosen, 0) - 1;
      chosen = (next + found.length) % found.length;
      mark();
    } else if ((event.key === "Enter" || event.key === "Tab") && chosen >= 0) {
      event.preventDefault();
      take(found[chosen]);
    }
  });
  return h("div", { class: "combobox" }, input, list);
}

function openApi() {
  const shown = h("div");
  const services = state.info.services.filter(hasOData);
  const choose = async (name) => {
    const { endpoints } = services.find((one) => one.name === name);
    try {
      const { body } = await send("GET", `.${endpoints[0].path}/openapi.json`);
      replace(shown, pathsOf(body, endpoints[0].path));
    } catch (error) {
      replace(shown, errorNotice(error, { where: { service: name } }));
    }
  };
  return h(
    "section",
    { id: "openapi" },
    h("h2", {}, t("OpenAPI")),
    h("div", { class: "buttons" }, services.map(({ name }) => button(name, () => choose(name)))),
    shown,
  );
}

function pathsOf({ paths, info }, root) {
  return [
    h("p", {}, info.title, " ", h("span", { class: "soft" }, info.version)),
    h(
      "ul",
      { class: "requests" },
      Object.entries(paths).flatMap(([path, item]) =>
        Object.entries(item).filter(([method]) => METHODS.includes(method.toUpperCase())).map(
          ([method, one]) => {
            const details = h(
              "details",
              { ontoggle: () => fillOperation(details, { one, path: root + path, method }) },
              h(
                "summary",
                {},
                h("span", { class: "badge" }, method.toUpperCase()),
                ` ${path} `,
                h("span", { class: "soft" }, one.summary ?? ""),
              ),
            );
            return h("li", {}, details);
          },
        )
      ),
    ),
  ];
}

function fillOperation(details, { one, path, method }) {
  if (!details.open || details.dataset.filled === "") return;
  details.dataset.filled = "";
  const parameters = (one.parameters ?? []).map(({ name, in: place, $ref, schema }) =>
    h(
      "li",
      {},
      name
        ? `${name} (${place}${schema?.type ? `, ${schema.type}` : ""})`
        : String($ref).replace(/^.*\//, "$"),
    )
  );
  details.append(
    one.description ? h("p", {}, one.description) : "",
    parameters.length > 0 ? h("div", {}, h("h3", {}, t("Parameters")), h("ul", {}, parameters)) : "",
    button(t("Open in the explorer"), () => {
      const form = document.querySelector("#explorer form");
      form.querySelector("[role=combobox]").value = path;
      form.querySelector("select").value = method.toUpperCase();
      form.querySelector("[role=combobox]").focus();
    }, { class: "small" }),
  );
}
