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
      level: my.shop.Level;
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
    export interface Notes {
      ID: string;
      title: string | null;
      lines?: my.shop.Notes.lines[];
    }
    export namespace Notes {
      export interface lines {
        up__ID: string;
        pos: number;
        text: string | null;
        up_?: my.shop.Notes | null;
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
        level: my.shop.Level;
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
      export interface Notes {
        ID: string;
        title: string | null;
        lines?: my.shop.Shop.Notes.lines[];
      }
      export namespace Notes {
        export interface lines {
          up__ID: string;
          pos: number;
          text: string | null;
          up_?: my.shop.Shop.Notes | null;
        }
        export namespace lines {
          export interface drafts {
            up__ID: string;
            pos: number;
            text: string | null;
            IsActiveEntity?: boolean | null;
            HasActiveEntity: boolean | null;
            HasDraftEntity?: boolean | null;
            DraftAdministrativeData_DraftUUID: string | null;
            DraftMessages?: ({ code?: string | null; message?: string | null; target?: string | null; additionalTargets?: string[] | null; transition?: boolean | null; numericSeverity?: number | null; longtextUrl?: string | null; })[] | null;
            up_?: my.shop.Shop.Notes.drafts | null;
            DraftAdministrativeData?: DRAFT.DraftAdministrativeData | null;
            SiblingEntity?: my.shop.Shop.Notes.lines | null;
          }
        }
        export interface drafts {
          ID: string;
          title: string | null;
          IsActiveEntity?: boolean | null;
          HasActiveEntity: boolean | null;
          HasDraftEntity?: boolean | null;
          DraftAdministrativeData_DraftUUID: string | null;
          DraftMessages?: ({ code?: string | null; message?: string | null; target?: string | null; additionalTargets?: string[] | null; transition?: boolean | null; numericSeverity?: number | null; longtextUrl?: string | null; })[] | null;
          lines?: my.shop.Shop.Notes.lines.drafts[];
          DraftAdministrativeData?: DRAFT.DraftAdministrativeData | null;
          SiblingEntity?: my.shop.Shop.Notes | null;
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
      parts: { name: "my.shop.Things.parts" } as EntityName<my.shop.Things.parts, { up__ID: string; pos: number; }>,
    } as EntityName<my.shop.Things, { ID: string; }> & { readonly parts: EntityName<my.shop.Things.parts, { up__ID: string; pos: number; }>; },
    Notes: {
      name: "my.shop.Notes",
      lines: { name: "my.shop.Notes.lines" } as EntityName<my.shop.Notes.lines, { up__ID: string; pos: number; }>,
    } as EntityName<my.shop.Notes, { ID: string; }> & { readonly lines: EntityName<my.shop.Notes.lines, { up__ID: string; pos: number; }>; },
    string: { name: "my.shop.string" } as EntityName<my.shop.string_, { ID: number; }>,
    Shop: {
      name: "my.shop.Shop",
      /** Things to sell */
      Things: {
        name: "my.shop.Shop.Things",
        parts: { name: "my.shop.Shop.Things.parts" } as EntityName<my.shop.Shop.Things.parts, { up__ID: string; pos: number; }>,
        rename: { name: "rename" } as EventName<{ name: string; }, my.shop.Shop.Things>,
        size: { name: "size" } as EventName<Record<never, never>, number>,
      } as EntityName<my.shop.Shop.Things, { ID: string; }> & { readonly parts: EntityName<my.shop.Shop.Things.parts, { up__ID: string; pos: number; }>; readonly rename: EventName<{ name: string; }, my.shop.Shop.Things>; readonly size: EventName<Record<never, never>, number>; },
      Notes: {
        name: "my.shop.Shop.Notes",
        lines: {
          name: "my.shop.Shop.Notes.lines",
          drafts: { name: "my.shop.Shop.Notes.lines.drafts" } as EntityName<my.shop.Shop.Notes.lines.drafts, { up__ID: string; pos: number; }>,
        } as EntityName<my.shop.Shop.Notes.lines, { up__ID: string; pos: number; }> & { readonly drafts: EntityName<my.shop.Shop.Notes.lines.drafts, { up__ID: string; pos: number; }>; },
        drafts: {
          name: "my.shop.Shop.Notes.drafts",
          pin: { name: "pin" } as EventName<Record<never, never>>,
        } as EntityName<my.shop.Shop.Notes.drafts, { ID: string; }> & { readonly pin: EventName<Record<never, never>>; },
        pin: { name: "pin" } as EventName<Record<never, never>>,
      } as EntityName<my.shop.Shop.Notes, { ID: string; }> & { readonly lines: EntityName<my.shop.Shop.Notes.lines, { up__ID: string; pos: number; }> & { readonly drafts: EntityName<my.shop.Shop.Notes.lines.drafts, { up__ID: string; pos: number; }>; }; readonly drafts: EntityName<my.shop.Shop.Notes.drafts, { ID: string; }> & { readonly pin: EventName<Record<never, never>>; }; readonly pin: EventName<Record<never, never>>; },
      Sold: { name: "Sold" } as EventName<my.shop.Shop.Sold>,
      sell: { name: "sell" } as EventName<{ thing: string; count?: number | null; }, { left?: number | null; }>,
      best: { name: "best" } as EventName<Record<never, never>, my.shop.Shop.Things[]>,
      clear: { name: "clear" } as EventName<Record<never, never>>,
    },
  },
};

export namespace DRAFT {
  export interface DraftAdministrativeData {
    DraftUUID: string;
    CreationDateTime: string | null;
    CreatedByUser: string | null;
    DraftIsCreatedByMe?: boolean | null;
    LastChangeDateTime: string | null;
    LastChangedByUser: string | null;
    InProcessByUser: string | null;
    DraftIsProcessedByMe?: boolean | null;
    DraftMessages: ({ code?: string | null; message?: string | null; target?: string | null; additionalTargets?: string[] | null; transition?: boolean | null; numericSeverity?: number | null; longtextUrl?: string | null; })[] | null;
  }
}
export const DRAFT = {
  DraftAdministrativeData: { name: "DRAFT.DraftAdministrativeData" } as EntityName<DRAFT.DraftAdministrativeData, { DraftUUID: string; }>,
};
