// deno-fmt-ignore-file
// deno-lint-ignore-file
// Written by `fw compile --to types`; changes get lost.
import type { EntityName, EventName } from "@fw/runtime";

export namespace my {
  export namespace shop {
    export interface Money {
      amount: number | string;
      currency?: string | null;
    }
    export type Tags = string[];
    export type Level = 1 | 2;
    export interface named {
      name: string;
    }
    /** Things to sell */
    export interface Things {
      name: string;
      ID: string;
      stock: number | null;
      level: my.shop.Level | null;
      price_amount: number | string;
      price_currency: string | null;
      tags: my.shop.Tags | null;
      parent_ID: string | null;
      note?: string | null;
      "a b": string | null;
      class: boolean | null;
      parent?: my.shop.Things | null;
      parts?: my.shop.Things.parts[];
    }
    export namespace Things {
      export interface parts {
        up__ID: string;
        pos: number;
        text: string | null;
        up_?: my.shop.Things | null;
      }
    }
    export interface string_ {
      ID: number;
    }
    export namespace Shop {
      /** Things to sell */
      export interface Things {
        name: string;
        ID: string;
        stock: number | null;
        level: my.shop.Level | null;
        price_amount: number | string;
        price_currency: string | null;
        tags: my.shop.Tags | null;
        parent_ID: string | null;
        note?: string | null;
        "a b": string | null;
        class: boolean | null;
        parent?: my.shop.Shop.Things | null;
        parts?: my.shop.Shop.Things.parts[];
      }
      export namespace Things {
        export interface parts {
          up__ID: string;
          pos: number;
          text: string | null;
          up_?: my.shop.Shop.Things | null;
        }
      }
      export interface Sold {
        thing: string;
        count?: number | null;
      }
    }
  }
}
export const my = {
  shop: {
    /** Things to sell */
    Things: {
      name: "my.shop.Things",
      parts: { name: "my.shop.Things.parts" } as EntityName<my.shop.Things.parts>,
    } as EntityName<my.shop.Things> & { readonly parts: EntityName<my.shop.Things.parts>; },
    string: { name: "my.shop.string" } as EntityName<my.shop.string_>,
    Shop: {
      name: "my.shop.Shop",
      /** Things to sell */
      Things: {
        name: "my.shop.Shop.Things",
        parts: { name: "my.shop.Shop.Things.parts" } as EntityName<my.shop.Shop.Things.parts>,
        rename: { name: "rename" } as EventName<{ name: string; }, my.shop.Shop.Things>,
        size: { name: "size" } as EventName<Record<never, never>, number>,
      } as EntityName<my.shop.Shop.Things> & { readonly parts: EntityName<my.shop.Shop.Things.parts>; readonly rename: EventName<{ name: string; }, my.shop.Shop.Things>; readonly size: EventName<Record<never, never>, number>; },
      Sold: { name: "Sold" } as EventName<my.shop.Shop.Sold>,
      sell: { name: "sell" } as EventName<{ thing: string; count?: number | null; }, { left?: number | null; }>,
      best: { name: "best" } as EventName<Record<never, never>, my.shop.Shop.Things[]>,
      clear: { name: "clear" } as EventName<Record<never, never>>,
    },
  },
};
