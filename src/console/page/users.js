/**
 * Users: who one is, and whom one can be.
 *
 * @module
 */

import { button, h, newId } from "./dom.js";
import { logIn, state } from "./state.js";
import { t } from "./texts.js";

/** The view of users. */
export function showUsers(main) {
  const { info, login } = state;
  if (!info.isMocked) {
    main.append(
      h("p", {}, t("This system logs users in by itself; this is who you are to it.")),
      h(
        "p",
        {},
        info.user ? `${info.user.id}: ${info.user.roles.join(", ")}` : t("Nobody is logged in"),
      ),
    );
    return;
  }
  main.append(
    h(
      "p",
      {},
      login ? t("Logged in as {0}", login.name) : t("Nobody is logged in"),
      " ",
      login && button(t("Log out"), () => logIn(null)),
    ),
    h("ul", { class: "cards" }, info.users.map(userCard)),
    otherUser(),
  );
}

function userCard({ name, roles, hasPassword }) {
  const password = hasPassword &&
    h("input", {
      type: "password",
      "aria-label": `${t("Password")} ${name}`,
      placeholder: t("Password"),
      autocomplete: "off",
    });
  const enter = () => logIn({ name, password: password ? password.value : "" });
  return h(
    "li",
    { class: "card", "aria-current": state.login?.name === name ? "true" : undefined },
    h("h3", {}, name),
    h("p", {}, `${t("Roles")}: ${roles.join(", ") || t("None")}`),
    h(
      "div",
      { class: "buttons" },
      password,
      button(t("Log in"), enter, { "aria-label": t("Log in as {0}", name) }),
    ),
  );
}

function otherUser() {
  const id = newId("other");
  const name = h("input", { id, required: true, autocomplete: "off" });
  return h(
    "form",
    {
      class: "other",
      onsubmit: (event) => {
        event.preventDefault();
        logIn({ name: name.value });
      },
    },
    h("label", { for: id }, t("Other user")),
    name,
    h("button", {}, t("Log in")),
  );
}
