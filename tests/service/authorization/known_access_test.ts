/** What users may do is found out once for all with the same privileges (auth 7). */

import assert from "node:assert/strict";
import { User } from "../../../src/context/user.ts";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { knownAccess, privilegesOf } from "../../../src/service/authorization/privileges.ts";
import { ownRestrictions } from "../../../src/service/authorization/restrictions.ts";
import { createHost } from "../fixture.ts";

const CSN = parseCdl(`service S {
  @restrict: [{ grant: ['READ', 'UPDATE'], to: 'reader', where: (owner = $user.region) }, { grant: 'READ', where: (ID = 1) }]
  entity Books { key ID : Integer; owner : String; }
}`);
const { model } = createHost(CSN);
const restrictions = ownRestrictions(model.definitions["S.Books"]!);

const access = (options: {
  readonly roles?: readonly string[];
  readonly attr?: Record<string, string>;
  readonly event?: string | readonly string[];
  readonly isAdmitted?: boolean;
  readonly in?: typeof model;
}) => {
  const { event = "READ", isAdmitted = true, in: where = model } = options;
  const user = new User({ id: crypto.randomUUID(), roles: options.roles ?? ["reader"], attr: options.attr });
  const own = where === model ? restrictions : ownRestrictions(where.definitions["S.Books"]!);
  return knownAccess({ user, model: where, isAdmitted }, own, event);
};

Deno.test("users with the same privileges share one access, which nobody can change", () => {
  const first = access({ attr: { region: "EU" } });
  assert.equal(access({ attr: { region: "US" } }), first);
  assert.ok(Object.isFrozen(first));
  assert.equal(
    access({ event: "UPDATE", attr: { region: "US" } }),
    access({ event: "UPDATE", attr: { region: "EU" } }),
  );
});

Deno.test("users with other privileges, other events and other models share no access", () => {
  const attr = { region: "EU" };
  const other = createHost(CSN).model;
  const different = [
    access({ attr }),
    access({ attr, event: "UPDATE" }),
    access({ attr, event: ["READ", "UPDATE"] }),
    access({ attr, isAdmitted: false }),
    access({}),
    access({ roles: [] }),
    access({ roles: ["other"], isAdmitted: false }),
    access({ attr, in: other }),
  ];
  assert.equal(new Set(different).size, different.length);
  assert.equal(access({ roles: ["other"], isAdmitted: false }), "none");
});

/** A model whose restrictions name so many roles, beside that of everybody, and attributes. */
function modelWith(roles: number, attributes: number): typeof model {
  const names = Array.from({ length: roles }, (_, at) => `'r${at}'`).join(", ");
  const conditions = Array.from({ length: attributes }, (_, at) => `owner = $user.a${at}`).join(" or ");
  return createHost(parseCdl(`service S {
    @restrict: [{ grant: 'READ', to: [${names}], where: (${conditions}) }]
    entity Books { key ID : Integer; owner : String; }
  }`)).model;
}

Deno.test("privileges are as many bits as roles and attributes matter, as text where they are more than 31", () => {
  for (
    const [roles, attributes, type] of [[20, 10, "number"], [20, 11, "string"], [28, 3, "string"], [
      27,
      3,
      "number",
    ]] as const
  ) {
    const where = modelWith(roles, attributes);
    const of = (role?: number, attribute?: number) =>
      privilegesOf({
        user: new User({
          id: "u",
          roles: role === undefined ? [] : [`r${role}`],
          attr: attribute === undefined ? {} : { [`a${attribute}`]: "x" },
        }),
        model: where,
        isAdmitted: true,
      });
    const all = [
      of(),
      ...Array(roles).keys().map((role) => of(role)),
      ...Array(attributes).keys().map((at) => of(undefined, at)),
    ];
    assert.deepEqual([...new Set(all.map((one) => typeof one))], [type], `${roles} ${attributes}`);
    assert.equal(new Set(all).size, all.length);
    assert.equal(of(3, 2), of(3, 2));
  }
});
