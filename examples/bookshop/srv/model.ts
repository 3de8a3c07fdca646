// deno-fmt-ignore-file
// deno-lint-ignore-file
// Written by `fw compile --to types`; changes get lost.
import type { EntityName, EventName } from "@fw/runtime";

export type User = string;

export interface cuid {
  ID: string;
}

export interface managed {
  createdAt?: string | null;
  createdBy?: User | null;
  modifiedAt?: string | null;
  modifiedBy?: User | null;
}

export interface temporal {
  validFrom?: string | null;
  validTo?: string | null;
}

export type Country = sap.common.Countries;

export type Currency = sap.common.Currencies;

export type Language = sap.common.Languages;

export type Timezone = sap.common.Timezones;

export namespace sap {
  export namespace common {
    export type Locale = string;
    export interface CodeList {
      name?: string | null;
      descr?: string | null;
    }
    export interface TextsAspect {
      locale: sap.common.Locale;
    }
    export interface Countries {
      name: string | null;
      descr: string | null;
      code: string;
      texts?: sap.common.Countries.texts[];
      localized?: sap.common.Countries.texts | null;
    }
    export namespace Countries {
      export interface texts {
        locale: sap.common.Locale;
        name: string | null;
        descr: string | null;
        code: string;
      }
    }
    export interface Currencies {
      name: string | null;
      descr: string | null;
      code: string;
      symbol: string | null;
      minorUnit: number | null;
      texts?: sap.common.Currencies.texts[];
      localized?: sap.common.Currencies.texts | null;
    }
    export namespace Currencies {
      export interface texts {
        locale: sap.common.Locale;
        name: string | null;
        descr: string | null;
        code: string;
      }
    }
    export interface Languages {
      name: string | null;
      descr: string | null;
      code: sap.common.Locale;
      texts?: sap.common.Languages.texts[];
      localized?: sap.common.Languages.texts | null;
    }
    export namespace Languages {
      export interface texts {
        locale: sap.common.Locale;
        name: string | null;
        descr: string | null;
        code: sap.common.Locale;
      }
    }
    export interface Timezones {
      name: string | null;
      descr: string | null;
      code: string;
      texts?: sap.common.Timezones.texts[];
      localized?: sap.common.Timezones.texts | null;
    }
    export namespace Timezones {
      export interface texts {
        locale: sap.common.Locale;
        name: string | null;
        descr: string | null;
        code: string;
      }
    }
  }
}
export const sap = {
  common: {
    Countries: {
      name: "sap.common.Countries",
      texts: { name: "sap.common.Countries.texts" } as EntityName<sap.common.Countries.texts, { locale: sap.common.Locale; code: string; }>,
    } as EntityName<sap.common.Countries, { code: string; }> & { readonly texts: EntityName<sap.common.Countries.texts, { locale: sap.common.Locale; code: string; }>; },
    Currencies: {
      name: "sap.common.Currencies",
      texts: { name: "sap.common.Currencies.texts" } as EntityName<sap.common.Currencies.texts, { locale: sap.common.Locale; code: string; }>,
    } as EntityName<sap.common.Currencies, { code: string; }> & { readonly texts: EntityName<sap.common.Currencies.texts, { locale: sap.common.Locale; code: string; }>; },
    Languages: {
      name: "sap.common.Languages",
      texts: { name: "sap.common.Languages.texts" } as EntityName<sap.common.Languages.texts, { locale: sap.common.Locale; code: sap.common.Locale; }>,
    } as EntityName<sap.common.Languages, { code: sap.common.Locale; }> & { readonly texts: EntityName<sap.common.Languages.texts, { locale: sap.common.Locale; code: sap.common.Locale; }>; },
    Timezones: {
      name: "sap.common.Timezones",
      texts: { name: "sap.common.Timezones.texts" } as EntityName<sap.common.Timezones.texts, { locale: sap.common.Locale; code: string; }>,
    } as EntityName<sap.common.Timezones, { code: string; }> & { readonly texts: EntityName<sap.common.Timezones.texts, { locale: sap.common.Locale; code: string; }>; },
  },
};

export namespace bookshop {
  export interface Books {
    createdAt: string | null;
    createdBy: User | null;
    modifiedAt: string | null;
    modifiedBy: User | null;
    /** Number */
    ID: number;
    /** Title */
    title: string;
    descr: string | null;
    /** Author */
    author_ID: number | null;
    /** Genre */
    genre_ID: number | null;
    stock: number | null;
    /** Price */
    price: number | string | null;
    currency_code: string | null;
    rating: number | string | null;
    reviews: number | null;
    /** Author */
    author?: bookshop.Authors | null;
    /** Genre */
    genre?: bookshop.Genres | null;
    currency?: sap.common.Currencies | null;
    chapters?: bookshop.Chapters[];
    texts?: bookshop.Books.texts[];
    localized?: bookshop.Books.texts | null;
  }
  export namespace Books {
    export interface texts {
      locale: sap.common.Locale;
      /** Number */
      ID: number;
      /** Title */
      title: string;
      descr: string | null;
    }
  }
  export interface Chapters {
    book_ID: number;
    pos: number;
    title: string;
    pages: number | null;
    book?: bookshop.Books | null;
  }
  /** Authors */
  export interface Authors {
    createdAt: string | null;
    createdBy: User | null;
    modifiedAt: string | null;
    modifiedBy: User | null;
    ID: number;
    /** Name */
    name: string;
    dateOfBirth: string | null;
    dateOfDeath: string | null;
    placeOfBirth: string | null;
    books?: bookshop.Books[];
  }
  /** Genres */
  export interface Genres {
    ID: number;
    /** Name */
    name: string;
    parent_ID: number | null;
    parent?: bookshop.Genres | null;
    children?: bookshop.Genres[];
    texts?: bookshop.Genres.texts[];
    localized?: bookshop.Genres.texts | null;
  }
  export namespace Genres {
    export interface texts {
      locale: sap.common.Locale;
      ID: number;
      /** Name */
      name: string;
    }
  }
  export interface Orders {
    createdAt: string | null;
    createdBy: User | null;
    modifiedAt: string | null;
    modifiedBy: User | null;
    ID: string;
    book_ID: number | null;
    quantity: number | null;
    buyer: string | null;
    book?: bookshop.Books | null;
  }
}
export const bookshop = {
  Books: {
    name: "bookshop.Books",
    texts: { name: "bookshop.Books.texts" } as EntityName<bookshop.Books.texts, { locale: sap.common.Locale; ID: number; }>,
  } as EntityName<bookshop.Books, { ID: number; }> & { readonly texts: EntityName<bookshop.Books.texts, { locale: sap.common.Locale; ID: number; }>; },
  Chapters: { name: "bookshop.Chapters" } as EntityName<bookshop.Chapters, { book_ID: number; pos: number; }>,
  /** Authors */
  Authors: { name: "bookshop.Authors" } as EntityName<bookshop.Authors, { ID: number; }>,
  /** Genres */
  Genres: {
    name: "bookshop.Genres",
    texts: { name: "bookshop.Genres.texts" } as EntityName<bookshop.Genres.texts, { locale: sap.common.Locale; ID: number; }>,
  } as EntityName<bookshop.Genres, { ID: number; }> & { readonly texts: EntityName<bookshop.Genres.texts, { locale: sap.common.Locale; ID: number; }>; },
  Orders: { name: "bookshop.Orders" } as EntityName<bookshop.Orders, { ID: string; }>,
};

export namespace AdminService {
  export interface Books {
    createdAt: string | null;
    createdBy: User | null;
    modifiedAt: string | null;
    modifiedBy: User | null;
    /** Number */
    ID: number;
    /** Title */
    title: string;
    descr: string | null;
    /** Author */
    author_ID: number | null;
    /** Genre */
    genre_ID: number | null;
    stock: number | null;
    /** Price */
    price: number | string | null;
    currency_code: string | null;
    rating: number | string | null;
    reviews: number | null;
    /** Author */
    author?: AdminService.Authors | null;
    /** Genre */
    genre?: AdminService.Genres | null;
    currency?: AdminService.Currencies | null;
    chapters?: AdminService.Chapters[];
    texts?: AdminService.Books.texts[];
    localized?: AdminService.Books.texts | null;
  }
  export namespace Books {
    export interface texts {
      locale: sap.common.Locale;
      /** Number */
      ID: number;
      /** Title */
      title: string;
      descr: string | null;
    }
  }
  /** Authors */
  export interface Authors {
    createdAt: string | null;
    createdBy: User | null;
    modifiedAt: string | null;
    modifiedBy: User | null;
    ID: number;
    /** Name */
    name: string;
    dateOfBirth: string | null;
    dateOfDeath: string | null;
    placeOfBirth: string | null;
    books?: AdminService.Books[];
  }
  /** Genres */
  export interface Genres {
    ID: number;
    /** Name */
    name: string;
    parent_ID: number | null;
    LimitedDescendantCount?: number | null;
    DistanceFromRoot?: number | null;
    DrillState?: string | null;
    LimitedRank?: number | null;
    parent?: AdminService.Genres | null;
    children?: AdminService.Genres[];
    texts?: AdminService.Genres.texts[];
    localized?: AdminService.Genres.texts | null;
  }
  export namespace Genres {
    export interface texts {
      locale: sap.common.Locale;
      ID: number;
      /** Name */
      name: string;
    }
  }
  export interface Orders {
    createdAt: string | null;
    createdBy: User | null;
    modifiedAt: string | null;
    modifiedBy: User | null;
    ID: string;
    book_ID: number | null;
    quantity: number | null;
    buyer: string | null;
    book?: AdminService.Books | null;
  }
  export interface Currencies {
    name: string | null;
    descr: string | null;
    code: string;
    symbol: string | null;
    minorUnit: number | null;
    texts?: AdminService.Currencies.texts[];
    localized?: AdminService.Currencies.texts | null;
  }
  export namespace Currencies {
    export interface texts {
      locale: sap.common.Locale;
      name: string | null;
      descr: string | null;
      code: string;
    }
  }
  export interface Chapters {
    book_ID: number;
    pos: number;
    title: string;
    pages: number | null;
    book?: AdminService.Books | null;
  }
}
export const AdminService = {
  name: "AdminService",
  Books: {
    name: "AdminService.Books",
    texts: { name: "AdminService.Books.texts" } as EntityName<AdminService.Books.texts, { locale: sap.common.Locale; ID: number; }>,
  } as EntityName<AdminService.Books, { ID: number; }> & { readonly texts: EntityName<AdminService.Books.texts, { locale: sap.common.Locale; ID: number; }>; },
  /** Authors */
  Authors: { name: "AdminService.Authors" } as EntityName<AdminService.Authors, { ID: number; }>,
  /** Genres */
  Genres: {
    name: "AdminService.Genres",
    texts: { name: "AdminService.Genres.texts" } as EntityName<AdminService.Genres.texts, { locale: sap.common.Locale; ID: number; }>,
  } as EntityName<AdminService.Genres, { ID: number; }> & { readonly texts: EntityName<AdminService.Genres.texts, { locale: sap.common.Locale; ID: number; }>; },
  Orders: { name: "AdminService.Orders" } as EntityName<AdminService.Orders, { ID: string; }>,
  Currencies: {
    name: "AdminService.Currencies",
    texts: { name: "AdminService.Currencies.texts" } as EntityName<AdminService.Currencies.texts, { locale: sap.common.Locale; code: string; }>,
  } as EntityName<AdminService.Currencies, { code: string; }> & { readonly texts: EntityName<AdminService.Currencies.texts, { locale: sap.common.Locale; code: string; }>; },
  Chapters: { name: "AdminService.Chapters" } as EntityName<AdminService.Chapters, { book_ID: number; pos: number; }>,
};

export namespace CatalogService {
  export interface Books {
    /** Number */
    ID: number;
    /** Title */
    title: string;
    descr: string | null;
    /** Author */
    author_ID: number | null;
    /** Genre */
    genre_ID: number | null;
    stock: number | null;
    /** Price */
    price: number | string | null;
    currency_code: string | null;
    rating: number | string | null;
    reviews: number | null;
    /** Author */
    author?: CatalogService.Authors | null;
    /** Genre */
    genre?: CatalogService.Genres | null;
    currency?: CatalogService.Currencies | null;
  }
  /** Authors */
  export interface Authors {
    ID: number;
    /** Name */
    name: string;
    dateOfBirth: string | null;
    dateOfDeath: string | null;
    placeOfBirth: string | null;
    books?: CatalogService.Books[];
  }
  /** Genres */
  export interface Genres {
    ID: number;
    /** Name */
    name: string;
    parent_ID: number | null;
    parent?: CatalogService.Genres | null;
    children?: CatalogService.Genres[];
    texts?: CatalogService.Genres.texts[];
    localized?: CatalogService.Genres.texts | null;
  }
  export namespace Genres {
    export interface texts {
      locale: sap.common.Locale;
      ID: number;
      /** Name */
      name: string;
    }
  }
  export interface OrderedBook {
    book?: number | null;
    quantity?: number | null;
    buyer?: string | null;
  }
  export interface Currencies {
    name: string | null;
    descr: string | null;
    code: string;
    symbol: string | null;
    minorUnit: number | null;
    texts?: CatalogService.Currencies.texts[];
    localized?: CatalogService.Currencies.texts | null;
  }
  export namespace Currencies {
    export interface texts {
      locale: sap.common.Locale;
      name: string | null;
      descr: string | null;
      code: string;
    }
  }
}
export const CatalogService = {
  name: "CatalogService",
  Books: { name: "CatalogService.Books" } as EntityName<CatalogService.Books, { ID: number; }>,
  /** Authors */
  Authors: { name: "CatalogService.Authors" } as EntityName<CatalogService.Authors, { ID: number; }>,
  /** Genres */
  Genres: {
    name: "CatalogService.Genres",
    texts: { name: "CatalogService.Genres.texts" } as EntityName<CatalogService.Genres.texts, { locale: sap.common.Locale; ID: number; }>,
  } as EntityName<CatalogService.Genres, { ID: number; }> & { readonly texts: EntityName<CatalogService.Genres.texts, { locale: sap.common.Locale; ID: number; }>; },
  submitOrder: { name: "submitOrder" } as EventName<{ book: number; quantity: number; }, { stock?: number | null; }>,
  OrderedBook: { name: "OrderedBook" } as EventName<CatalogService.OrderedBook>,
  Currencies: {
    name: "CatalogService.Currencies",
    texts: { name: "CatalogService.Currencies.texts" } as EntityName<CatalogService.Currencies.texts, { locale: sap.common.Locale; code: string; }>,
  } as EntityName<CatalogService.Currencies, { code: string; }> & { readonly texts: EntityName<CatalogService.Currencies.texts, { locale: sap.common.Locale; code: string; }>; },
};

export namespace ReviewsService {
  export interface RatingChanged {
    book?: number | null;
    rating?: number | string | null;
    reviews?: number | null;
  }
}
export const ReviewsService = {
  name: "ReviewsService",
  RatingChanged: { name: "RatingChanged" } as EventName<ReviewsService.RatingChanged>,
};
