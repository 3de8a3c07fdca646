/**
 * The console: views, chosen by the fragment of the URL.
 *
 * @module
 */

import "./field.js";
import "./form.js";
import "./grid.js";
import { exchange } from "./api.js";
import { resolve, serviceOf } from "./csdl.js";
import { h, replace } from "./dom.js";
import { showMessages } from "./letters.js";
import { showModel } from "./model_view.js";
import { errorNotice } from "./notice.js";
import { gridFor, newObject } from "./object_page.js";
import { hasOData, showOperations } from "./operations.js";
import { showApi } from "./requests.js";
import { chooseLanguage, chooseTheme, events, showTheme, state, unsaved } from "./state.js";
import { t } from "./texts.js";
import { showUsers } from "./users.js";

const VIEWS = {
  overview: { title: "Overview", show: showOverview },
  data: { title: "Data", show: showData },
  operations: { title: "Operations", show: showOperations },
  api: { title: "API", show: showApi },
  messages: { title: "Messages", show: showMessages },
  users: { title: "Users", show: showUsers },
  model: { title: "Model", show: showModel },
};

/** What the server sent for those without scripts. */
const overview = [...document.querySelector("main").childNodes];
const main = h("main", { id: "main", tabindex: -1 });
let leave = () => {};
let shown;

async function start() {
  showTheme();
  document.documentElement.lang = state.language;
  try {
    const { body } = await exchange("GET", "./-/console/info.json", { unseen: true });
    state.info = body;
  } catch (error) {
    state.info = { services: [], users: [] };
    document.body.prepend(errorNotice(error));
    return;
  }
  renderShell();
  events.addEventListener("user", onUser);
  addEventListener("hashchange", navigate);
  navigate();
}

function renderShell() {
  const title = document.querySelector("h1");
  const skip = h("a", {
    class: "skip",
    href: "#main",
    onclick: (event) => {
      event.preventDefault();
      main.focus();
    },
  }, t("Skip to content"));
  const header = h(
    "header",
    {},
    title,
    navigation(),
    h("div", { class: "tools" }, userLink(), languageMenu(), themeMenu()),
  );
  replace(document.body, skip, header, main, h("div", { id: "status", role: "status" }));
}

function navigation() {
  return h(
    "nav",
    { "aria-label": t("Views") },
    h(
      "ul",
      {},
      Object.entries(VIEWS).map(([name, { title }]) =>
        h("li", {}, h("a", { href: `#/${name}`, id: `to-${name}` }, t(title)))
      ),
    ),
  );
}

function userLink() {
  return h("a", { id: "user", href: "#/users" }, state.login?.name ?? state.info.user?.id ?? t("Anonymous"));
}

function languageMenu() {
  return h(
    "select",
    { "aria-label": t("Language"), onchange: ({ target }) => chooseLanguage(target.value) },
    [
      h("option", { value: "en", selected: state.language === "en" }, "English"),
      h("option", { value: "de", selected: state.language === "de" }, "Deutsch"),
    ],
  );
}

function themeMenu() {
  return h(
    "select",
    { "aria-label": t("Theme"), onchange: ({ target }) => chooseTheme(target.value) },
    ["auto", "light", "dark"].map((name) =>
      h("option", { value: name, selected: state.theme === name }, t(name))
    ),
  );
}

/** Another user sees other things; what was typed stays. */
function onUser() {
  document.getElementById("user").replaceWith(userLink());
  if (unsaved.size === 0) show();
}

async function navigate() {
  if (location.hash === shown) return;
  if (unsaved.size > 0 && !confirm(t("Your changes are not saved. Leave them?"))) {
    history.replaceState(null, "", shown || "#/overview");
    return;
  }
  unsaved.clear();
  shown = location.hash;
  await show();
  main.focus({ preventScroll: true });
  scrollTo(0, 0);
}

async function show() {
  leave();
  leave = () => {};
  const [, view = "overview", ...rest] = decodeURI(location.hash || "#/overview").split("/");
  const name = view === "new" ? "data" : view in VIEWS ? view : "overview";
  for (const link of document.querySelectorAll("nav a")) {
    if (link.id === `to-${name}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = `${t(VIEWS[name].title)} · ${state.info.title}`;
  const content = h("div", { class: `view ${name}` });
  if (name !== "overview") content.append(h("h2", { class: "hidden" }, t(VIEWS[name].title)));
  replace(main, content);
  try {
    leave = await VIEWS[name].show(content, { rest, isNew: view === "new" }) ?? (() => {});
  } catch (error) {
    content.append(errorNotice(error, { where: { service: rest[0] } }));
  }
}

function showOverview(content) {
  content.append(...overview);
}

async function showData(content, { rest: [name, ...path], isNew }) {
  const services = state.info.services.filter(hasOData);
  if (!name) {
    content.append(h("div", { class: "cards" }, await Promise.all(services.map(serviceCard))));
    return;
  }
  const service = await serviceOf(name);
  const where = path.join("/");
  content.append(breadcrumbs(name, path));
  const place = resolve(service, where);
  if (!place) content.append(h("p", {}, t("There is nothing at {0}", where)));
  else if (isNew) content.append(newObject(service, where));
  else if (place.isCollection) content.append(h("h2", {}, where), gridFor(service, where));
  else {
    const object = document.createElement("fw-object");
    content.append(object);
    await object.show({ service, path: where });
  }
}

async function serviceCard({ name, doc }) {
  const head = [h("h2", {}, name), doc && h("p", { class: "soft" }, doc)];
  try {
    const service = await serviceOf(name);
    return h(
      "section",
      { class: "card" },
      head,
      h(
        "ul",
        { class: "links" },
        [...service.sets.values()].filter((one) => !/_texts$|^DraftAdministrativeData$/.test(one.name)).map((
          one,
        ) => h("li", {}, h("a", { href: `#/data/${name}/${one.name}` }, one.name))),
      ),
    );
  } catch (error) {
    return h("section", { class: "card" }, head, errorNotice(error, { where: { service: name } }));
  }
}

function breadcrumbs(name, path) {
  const places = path.map((part, index) => ({ part, to: path.slice(0, index + 1).join("/") }));
  return h(
    "nav",
    { "aria-label": t("Data"), class: "crumbs" },
    h("ol", {}, [
      h("li", {}, h("a", { href: "#/data" }, t("Data"))),
      h("li", {}, name),
      ...places.map(({ part, to }) =>
        h("li", {}, h("a", { href: `#/data/${name}/${to}` }, decodeURIComponent(part)))
      ),
    ]),
  );
}

await start();
