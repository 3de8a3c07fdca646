/**
 * What all views share: what the runtime told of itself, who is logged in, language and theme.
 *
 * @module
 */

/** The root of the application. */
export const ROOT = new URL("../../", import.meta.url);

/** Fires `user` and `requests`. */
export const events = new EventTarget();

export const state = {
  info: undefined,
  /** Name and password of the mock user; null: nobody. */
  login: JSON.parse(sessionStorage.getItem("fw-login") ?? "null"),
  language: stored("fw-language", /^de\b/i.test(navigator.language) ? "de" : "en"),
  theme: stored("fw-theme", "auto"),
};

function stored(key, standard) {
  return localStorage.getItem(key) ?? standard;
}

/** Logs a mock user in, or out. */
export function logIn(login) {
  state.login = login;
  sessionStorage.setItem("fw-login", JSON.stringify(login));
  events.dispatchEvent(new Event("user"));
}

/** Chooses the language of texts and answers; the page begins anew. */
export function chooseLanguage(language) {
  localStorage.setItem("fw-language", language);
  location.reload();
}

/** Chooses `auto`, `light` or `dark`. */
export function chooseTheme(theme) {
  state.theme = theme;
  localStorage.setItem("fw-theme", theme);
  showTheme();
}

/** Shows the chosen theme. */
export function showTheme() {
  document.documentElement.dataset.theme = state.theme;
}

/** Forms with input that nobody saved, which must not get lost. */
export const unsaved = new Set();

addEventListener("beforeunload", (event) => {
  if (unsaved.size > 0) event.preventDefault();
});
