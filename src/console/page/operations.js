/**
 * Actions and functions: their forms and results.
 *
 * @module
 */

import { JSON_TYPE, send } from "./api.js";
import { serviceOf } from "./csdl.js";
import { button, h, newId, replace } from "./dom.js";
import { errorNotice, sayMessages } from "./notice.js";
import { events, state } from "./state.js";
import { t } from "./texts.js";
import { literal } from "./url.js";

/** The view of all operations that are bound to nothing. */
export async function showOperations(main) {
  main.append(...await Promise.all(state.info.services.filter(hasOData).map(({ name }) => sectionOf(name))));
  // another user may see what was refused; forms with input stay as they are
  const again = async () => {
    for (const section of main.querySelectorAll("section[data-refused]")) {
      section.replaceWith(await sectionOf(section.dataset.refused));
    }
  };
  events.addEventListener("user", again);
  return () => events.removeEventListener("user", again);
}

async function sectionOf(name) {
  try {
    const service = await serviceOf(name);
    return h("section", {}, h("h2", {}, name), listOf(service));
  } catch (error) {
    const notice = errorNotice(error, { where: { service: name } });
    return h("section", { "data-refused": name }, h("h2", {}, name), notice);
  }
}

/** Whether a service is served by OData. */
export function hasOData({ endpoints }) {
  return endpoints.some(({ protocol }) => protocol === "odata");
}

function listOf(service) {
  if (service.imports.length === 0) return h("p", { class: "soft" }, t("No operations"));
  return service.imports.map(({ name, operation: full }) => {
    const operation = service.operations.find((one) => one.name === full && !one.isBound);
    const result = h("div");
    return h(
      "details",
      { class: "card" },
      h(
        "summary",
        {},
        h("span", { class: "badge" }, operation.isAction ? t("Action") : t("Function")),
        ` ${name}`,
      ),
      operationForm(service, { operation, result, path: name }),
      result,
    );
  });
}

function operationForm(service, { operation, path, etag, result, done = () => {} }) {
  const parameters = operation.parameters.slice(operation.isBound ? 1 : 0);
  const run = async (values, form) => {
    const answer = await call(service, { operation, path, etag, values });
    form.settle();
    const shown = pretty(answer.body);
    sayMessages(answer, shown ? t("Done") : t("Done, without a result"));
    replace(result, h("h3", {}, t("Result")), shown ?? h("p", {}, t("Done, without a result")));
    await done();
  };
  return document.createElement("fw-form").show({
    service,
    properties: parameters,
    submit: { text: t("Call"), run },
    where: { service: service.name, member: operation.local },
  });
}

function call(service, { operation, path, etag, values }) {
  const url = `${service.root}/${path}`;
  if (operation.isAction) {
    return send("POST", url, {
      headers: { "content-type": JSON_TYPE, ...(etag ? { "if-match": etag } : {}) },
      body: JSON.stringify(values),
    });
  }
  const given = Object.entries(values).map(([name, value]) => {
    const { type } = operation.parameters.find((one) => one.name === name);
    const text = typeof value === "object" && value !== null
      ? encodeURIComponent(JSON.stringify(value))
      : literal(value, type);
    return { name, text };
  });
  const aliases = given.map(({ name, text }) => `@${name}=${text}`).join("&");
  const list = given.map(({ name }) => `${name}=@${name}`).join(",");
  return send("GET", `${url}(${list})${aliases && `?${aliases}`}`);
}

/** Opens the form of an operation that is bound to a row. */
export function callOperation(service, { operation, path, etag, done }) {
  const result = h("div");
  const title = t("Call {0}", operation.label ?? operation.local);
  const dialog = h("dialog", { "aria-label": title, onclose: () => dialog.remove() });
  dialog.append(
    h("h2", {}, title),
    operationForm(service, { operation, path: `${path}/${operation.name}`, etag, result, done }),
    result,
    h("div", { class: "buttons" }, button(t("Close"), () => dialog.close())),
  );
  document.body.append(dialog);
  dialog.showModal();
}

/** A value as text that can be read; undefined where there is none. */
export function pretty(value) {
  if (value === undefined || value === "") return undefined;
  const text = typeof value === "string"
    ? value
    : value instanceof Blob
    ? `${value.size} B`
    : JSON.stringify(value, null, 2);
  const id = newId("text");
  return h("pre", { id, tabindex: 0 }, text);
}
