import assert from "node:assert/strict";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../src/model/link_model.ts";
import { allowedMethods, isAllowed } from "../../src/odata/methods.ts";
import { createPlanner } from "../../src/odata/plan/planner.ts";
import { CDL } from "./plan/refused_model.ts";

const planner = createPlanner(linkModel(parseCdl(CDL)).service("S")!);

/** Methods beside OPTIONS, and HEAD with GET. */
const METHODS: Readonly<Record<string, string>> = {
  "": "GET",
  "$metadata": "GET",
  "$batch": "POST",
  "Books": "GET POST PATCH",
  "Books(1)": "GET PATCH PUT DELETE",
  "Books(1)/author": "GET PATCH PUT DELETE",
  "Books/$each": "PATCH DELETE",
  "Books(1)/title": "GET PUT DELETE",
  "Books(1)/title/$value": "GET PUT DELETE",
  "Books(1)/picture": "GET PUT DELETE",
  "Books(1)/tags": "GET POST PUT DELETE",
  "Books/$count": "GET",
  "Books/$ref": "GET POST",
  "Books(1)/reviews/$ref": "GET POST PUT DELETE",
  "Books(1)/author/$ref": "GET PUT DELETE",
  "Settings": "GET PATCH PUT",
  "Books(1)/S.submit": "POST",
  "restock": "POST",
  "all()": "GET",
  "all()/$filter(ID gt 1)": "GET",
  "all()(1)": "GET",
  "Books(1)/S.similar()": "GET",
  "one()": "GET",
  "one()/title": "GET",
  "one()/title/$value": "GET",
  "one()/author": "GET",
  "one()/reviews": "GET",
  "one()/reviews/$ref": "GET",
  "names()": "GET",
  "place()/city": "GET",
};

Deno.test("resources have the methods of their kind, and what a function returned is only read (OData Protocol 11.4, 11.5.4)", () => {
  for (const [url, methods] of Object.entries(METHODS)) {
    const plan = planner.planUrl(url);
    const names = methods.split(" ");
    const expected = [...names, ...names.includes("GET") ? ["HEAD"] : [], "OPTIONS"];
    assert.deepEqual(allowedMethods(plan), expected, url);
    for (const method of ["GET", "HEAD", "OPTIONS", "POST", "PATCH", "PUT", "DELETE"]) {
      assert.equal(isAllowed(plan, method), expected.includes(method), `${method} ${url}`);
    }
  }
});
