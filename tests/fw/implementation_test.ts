/** The forms that an implementation of a service has, and what is told of those that are none (api 3). */

import assert from "node:assert/strict";
import fw, { ApplicationService, SELECT } from "../../mod.ts";
import {
  isForOthers,
  onlyClass,
  pickImplementation,
  type ServiceImplementation,
} from "../../src/fw/implementation.ts";
import { Service } from "../../src/service/service.ts";
import { withShop } from "./shop.ts";

class Books extends ApplicationService {}
class Other extends ApplicationService {}
class Bare extends Service {}
class Plain {
  order(): string {
    return "ordered";
  }
}
class Silent {
  init(): void {}
}
class Nothing {}
const implement = () => {};
const older = function (): void {};

Deno.test("a module exports the implementation by local or full name, or by default, in this order", () => {
  const cases: readonly [ServiceImplementation, unknown][] = [
    [Books, Books],
    [Bare as never, Bare],
    [implement, implement],
    [older, older],
    [{ Books, "shop.Books": Other, default: Other }, Books],
    [{ "shop.Books": Books, default: Other }, Books],
    [{ default: implement, Other }, implement],
    [{ Books: older }, older],
  ];
  for (const [given, found] of cases) assert.equal(pickImplementation(given, "shop.Books"), found);
  const plain = pickImplementation({ Books: Plain }, "shop.Books");
  assert.ok(plain.prototype instanceof ApplicationService);
  assert.equal(plain.name, "Plain");
  const refused: readonly [ServiceImplementation, string][] = [
    [{}, "nothing"],
    [{ Other, n: 1, nothing: null, o: {} }, "Other, n (number), nothing (null), o (object)"],
    [{ Books: 5, default: Books }, "Books (number), default"],
  ];
  for (const [given, exported] of refused) {
    assert.throws(() => pickImplementation(given, "shop.Books", "srv/shop.ts"), {
      name: "ConfigurationError",
      file: "srv/shop.ts",
      message:
        'srv/shop.ts: The implementation of shop.Books must export a class or function "Books" or a default, ' +
        `but exports ${exported}`,
    });
  }
  for (
    const [given, name] of [[Silent, "Silent"], [Nothing, "Nothing"], [
      (() => class {})(),
      "without name",
    ]] as const
  ) {
    assert.throws(() => pickImplementation(given as never, "shop.Books"), {
      message:
        "The implementation of shop.Books must be a function or a class derived from fw.ApplicationService, but the " +
        `class ${name} is not derived from it`,
    });
  }
});

Deno.test("a module is for others where it names one of them, and holds nothing for the service", () => {
  const others = ["shop.Books", "shop.Authors"];
  const cases: readonly [ServiceImplementation, boolean][] = [
    [{ Books }, true],
    [{ "shop.Authors": Books, helper: implement, n: 1 }, true],
    [{ Books, Other }, false],
    [{ Other }, false],
    [{ helper: implement }, false],
    [{ Books, default: Other }, false],
    [{ Books, Orders: Other }, false],
    [{ Books, "shop.Orders": Other }, false],
    [Books, false],
    [implement, false],
    [{}, false],
  ];
  for (const [given, expected] of cases) assert.equal(isForOthers(given, "shop.Orders", others), expected);
  assert.equal(isForOthers({ Books }, "shop.Orders", []), false);
  const only: readonly [ServiceImplementation, string | undefined][] = [
    [{ Books, helper: implement }, "Books"],
    [{ Books, Other }, undefined],
    [{ helper: implement, Plain, n: null }, undefined],
    [{ Books, Orders: implement }, undefined],
    [{ Books, default: implement }, undefined],
    [Books, undefined],
  ];
  for (const [given, name] of only) assert.equal(onlyClass(given, "shop.Orders"), name);
});

Deno.test("methods handle the operations they are named as, unless init has registered a handler, however long it takes", async () => {
  class Catalog extends ApplicationService {
    override async init(): Promise<void> {
      await new Promise((resolve) => setTimeout(resolve));
      this.on("hello", () => "registered");
      await super.init();
    }
    hello(): string {
      return "method";
    }
    order(): string {
      return "ordered";
    }
  }
  await withShop({ handlers: { "shop.CatalogService": Catalog } }, async ({ services }) => {
    const catalog = services["shop.CatalogService"]!;
    assert.deepEqual([await catalog.send("hello", {}), await catalog.send("order", {})], [
      "registered",
      "ordered",
    ]);
  });
});

Deno.test("a service is ready when its function is, and what that asks for in vain is told with its line", async () => {
  const slow = async (srv: Service) => {
    await new Promise((resolve) => setTimeout(resolve));
    srv.on("hello", () => "late");
  };
  await withShop({ handlers: { "shop.CatalogService": slow } }, async ({ services }) => {
    assert.equal(await services["shop.CatalogService"]!.send("hello", {}), "late");
  });
  class Asking extends ApplicationService {
    override async init(): Promise<void> {
      await fw.connect.to("Nowhere");
    }
  }
  for (const asking of [Asking, async () => void await fw.connect.to("Nowhere")]) {
    await assert.rejects(withShop({ handlers: { "shop.CatalogService": asking } }, () => {}), {
      name: "ConfigurationError",
      message: /implementation_test\.ts:\d+:\d+: There is no service "Nowhere"/,
    });
  }
});

Deno.test("a plain class has the generic handlers as well, once its init is through", async () => {
  class Catalog {
    async init(): Promise<void> {
      await new Promise((resolve) => setTimeout(resolve));
      (this as unknown as Service).on("order", () => "late");
    }
    hello(): string {
      return "method";
    }
  }
  await withShop({ handlers: { "shop.CatalogService": Catalog as never } }, async ({ services }) => {
    const catalog = services["shop.CatalogService"]!;
    assert.deepEqual([await catalog.send("hello", {}), await catalog.send("order", {})], ["method", "late"]);
    assert.equal((await catalog.run(SELECT.from("shop.CatalogService.Books")) as unknown[]).length, 3);
  });
});
