/**
 * The files of the console: modules, a style and an icon for browsers. They come as texts with the package, from wherever
 * it was loaded.
 *
 * @module
 */

import type { ConsoleFiles } from "../http/front_ends.ts";
import api from "./page/api.js" with { type: "text" };
import completions from "./page/completions.js" with { type: "text" };
import csdl from "./page/csdl.js" with { type: "text" };
import dom from "./page/dom.js" with { type: "text" };
import field from "./page/field.js" with { type: "text" };
import form from "./page/form.js" with { type: "text" };
import grid from "./page/grid.js" with { type: "text" };
import icon from "./page/icon.svg" with { type: "text" };
import letters from "./page/letters.js" with { type: "text" };
import main from "./page/main.js" with { type: "text" };
import media from "./page/media.js" with { type: "text" };
import modelView from "./page/model_view.js" with { type: "text" };
import notice from "./page/notice.js" with { type: "text" };
import objectPage from "./page/object_page.js" with { type: "text" };
import operations from "./page/operations.js" with { type: "text" };
import requests from "./page/requests.js" with { type: "text" };
import state from "./page/state.js" with { type: "text" };
import style from "./page/style.css" with { type: "text" };
import texts from "./page/texts.js" with { type: "text" };
import url from "./page/url.js" with { type: "text" };
import users from "./page/users.js" with { type: "text" };
import valueHelp from "./page/value_help.js" with { type: "text" };

const TYPES = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
};

/** Texts by the names of their files. */
const TEXTS: Readonly<Record<string, string>> = {
  "api.js": api,
  "completions.js": completions,
  "csdl.js": csdl,
  "dom.js": dom,
  "field.js": field,
  "form.js": form,
  "grid.js": grid,
  "icon.svg": icon,
  "letters.js": letters,
  "main.js": main,
  "media.js": media,
  "model_view.js": modelView,
  "notice.js": notice,
  "object_page.js": objectPage,
  "operations.js": operations,
  "requests.js": requests,
  "state.js": state,
  "style.css": style,
  "texts.js": texts,
  "url.js": url,
  "users.js": users,
  "value_help.js": valueHelp,
};

/** The files by name. */
export const FILES: ConsoleFiles = new Map(
  Object.entries(TEXTS).map(([name, text]) => {
    const ending = name.slice(name.lastIndexOf(".") + 1) as keyof typeof TYPES; // all endings are in the table
    return [name, { type: TYPES[ending], text }];
  }),
);
