/**
 * Messages to the user: what went wrong and what can be done.
 *
 * @module
 */

import { ApiError } from "./api.js";
import { button, h, replace } from "./dom.js";
import { logIn, state } from "./state.js";
import { t } from "./texts.js";

/** Says something in the region that screen readers read out. */
export function say(text) {
  const region = document.getElementById("status");
  replace(region, text);
  region.dataset.shown = "";
  clearTimeout(say.timer);
  say.timer = setTimeout(() => delete region.dataset.shown, 5000);
}

/** An error as an element: its text, its code, and a way on. */
export function errorNotice(error, { where, more = [] } = {}) {
  const text = error instanceof TypeError && !(error instanceof ApiError)
    ? t("The server does not answer: {0}", error.message)
    : error.status === 401
    ? t("You have to log in for this")
    : t(error.message);
  const code = error instanceof ApiError
    ? ` (${[error.status, error.code].filter((one) => one && one !== String(error.status)).join(", ")})`
    : "";
  return h(
    "div",
    { class: "notice error", role: "alert" },
    h("p", {}, text, h("span", { class: "soft" }, code)),
    (error.parts ?? []).slice(1).map((part) => h("p", {}, part.message)),
    loginHelp(error, where),
    more,
  );
}

/** Users that may help against 401 and 403, to be logged in without leaving the page. */
function loginHelp(error, where) {
  if (error.status !== 401 && error.status !== 403) return [];
  const roles = neededRoles(where);
  const { users = [], isMocked } = state.info;
  const fitting = roles.length === 0
    ? users
    : users.filter((user) => roles.some((role) => user.roles.includes(role)));
  return [
    roles.length > 0 && h("p", {}, t("This needs one of the roles: {0}", roles.join(", "))),
    isMocked && h(
      "p",
      { class: "buttons" },
      fitting.filter(({ hasPassword }) => !hasPassword).slice(0, 6)
        .map(({ name }) => button(t("Log in as {0}", name), () => logIn({ name }), { class: "small" })),
    ),
  ];
}

/** The roles that a service, an entity or an operation asks for. */
function neededRoles({ service, member } = {}) {
  const found = state.info.services.find(({ name }) => name === service);
  const roles = [found?.requires ?? [], found?.restrictions[member] ?? []].flat();
  return [...new Set(roles)].filter((role) => role !== "any" && role !== "authenticated-user");
}

/** Puts the messages that came with an answer into the region. */
export function sayMessages(answer, otherwise) {
  let messages = [];
  try {
    messages = JSON.parse(answer.header("fw-messages") ?? answer.header("sap-messages") ?? "[]");
  } catch {
    // a header that is none of ours
  }
  say([otherwise, ...messages.map(({ message }) => message)].filter(Boolean).join(". "));
}
