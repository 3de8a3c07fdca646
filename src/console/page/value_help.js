/**
 * The dialog in which a value is chosen from the rows of another entity.
 *
 * @module
 */

import { button, h } from "./dom.js";
import { t } from "./texts.js";

/** Lets the user choose a row of a set; undefined if the dialog is closed. */
export function pickValue(service, { set, label }) {
  return new Promise((resolve) => {
    const dialog = h(
      "dialog",
      { "aria-label": t("Value help for {0}", label), onclose: () => done() },
      h("h2", {}, t("Value help for {0}", label)),
    );
    const done = (row) => {
      dialog.remove();
      resolve(row);
    };
    const grid = document.createElement("fw-grid");
    const close = button(t("Close"), () => dialog.close());
    dialog.append(grid, h("div", { class: "buttons" }, close));
    document.body.append(dialog);
    grid.show({ service, path: set, pick: done });
    dialog.showModal();
  });
}

/** Asks a question that is answered by yes or no. */
export function confirmed(question, yes) {
  return new Promise((resolve) => {
    const dialog = h("dialog", { "aria-label": question, onclose: () => done(false) }, h("p", {}, question));
    const done = (answer) => {
      dialog.remove();
      resolve(answer);
    };
    dialog.append(h(
      "div",
      { class: "buttons" },
      button(yes, () => done(true), { class: "main" }),
      button(t("Cancel"), () => dialog.close()),
    ));
    document.body.append(dialog);
    dialog.showModal();
  });
}
