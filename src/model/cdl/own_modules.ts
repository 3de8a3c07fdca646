/**
 * Modules that models use without a file: those that CDS projects know by these names, in our own words.
 *
 * @module
 */

/** Its CDL text. */
const COMMON_MODULE_TEXT: string = `
type User : String(255) @title: '{i18n>UserID}' @description: '{i18n>UserID.Description}';

aspect cuid { key ID : UUID; }

aspect managed {
  createdAt  : Timestamp @readonly @cds.on.insert: $now @Core.Immutable @title: '{i18n>CreatedAt}'
    @UI: { HiddenFilter, ExcludeFromNavigationContext };
  createdBy  : User @readonly @cds.on.insert: $user @Core.Immutable @title: '{i18n>CreatedBy}'
    @UI: { HiddenFilter, ExcludeFromNavigationContext };
  modifiedAt : Timestamp @readonly @cds.on.insert: $now @cds.on.update: $now @title: '{i18n>ChangedAt}'
    @UI: { HiddenFilter, ExcludeFromNavigationContext };
  modifiedBy : User @readonly @cds.on.insert: $user @cds.on.update: $user @title: '{i18n>ChangedBy}'
    @UI: { HiddenFilter, ExcludeFromNavigationContext };
}
aspect temporal {
  validFrom : Timestamp @cds.valid.from;
  validTo   : Timestamp @cds.valid.to;
}

type Country  : Association to sap.common.Countries
  @title: '{i18n>Country}' @description: '{i18n>CountryCode.Description}';
type Currency : Association to sap.common.Currencies
  @title: '{i18n>Currency}' @description: '{i18n>CurrencyCode.Description}';
type Language : Association to sap.common.Languages
  @title: '{i18n>Language}' @description: '{i18n>LanguageCode.Description}';
type Timezone : Association to sap.common.Timezones;

context sap.common {
  type Locale : String(14) @title: '{i18n>LanguageCode}';

  @cds.autoexpose @cds.persistence.skip: 'if-unused' @cds.odata.valuelist
  @UI.Identification: [{ Value: name }]
  aspect CodeList {
    name  : localized String(255)  @title: '{i18n>Name}';
    descr : localized String(1000) @title: '{i18n>Description}';
  }

  aspect TextsAspect { key locale : Locale; }

  entity Countries : CodeList {
    key code : String(3) @title: '{i18n>CountryCode}' @Common.Text: name;
  }
  entity Currencies : CodeList {
    key code  : String(3) @title: '{i18n>CurrencyCode}' @Common.Text: name;
    symbol    : String(5) @title: '{i18n>CurrencySymbol}';
    minorUnit : Int16 @title: '{i18n>CurrencyMinorUnit}';
  }
  entity Languages : CodeList {
    key code : Locale @title: '{i18n>LanguageCode}' @Common.Text: name;
  }
  entity Timezones : CodeList {
    key code : String(100) @title: '{i18n>TimeZoneCode}';
  }
}
`;

/** The common definitions. */
const COMMON = "@sap/cds/common";
/** Messages that wait to be sent, as a table that services of applications may show. */
const OUTBOX = "@sap/cds/srv/outbox";
/** The code lists of the common definitions; whoever has the package gets its data, too. */
const COMMON_CONTENT = "@sap/cds-common-content";

const OUTBOX_MODULE_TEXT = `
namespace cds.outbox;

entity Messages {
  key ID               : UUID;
  timestamp            : Timestamp;
  target               : String;
  msg                  : LargeString;
  attempts             : Integer default 0;
  partition            : Integer default 0;
  lastError            : LargeString;
  lastAttemptTimestamp : Timestamp @cds.on.update: $now;
  status               : String(23);
}
`;

const TEXTS: ReadonlyMap<string, string> = new Map([
  [COMMON, COMMON_MODULE_TEXT],
  [OUTBOX, OUTBOX_MODULE_TEXT],
  [COMMON_CONTENT, `using from '${COMMON}';`],
]);

/**
 * The text of a module.
 *
 * @param name its name, as `ownModule` gives it
 * @returns CDL; undefined when the name is that of a file
 */
export function ownModuleText(name: string): string | undefined {
  return TEXTS.get(name);
}

/** The names of all modules. */
export function ownModuleNames(): Iterable<string> {
  return TEXTS.keys();
}

/**
 * The module that a name stands for, with or without the suffix of a file.
 *
 * @param name as models write it
 * @returns its name; undefined when we have no such module
 */
export function ownModule(name: string): string | undefined {
  const bare = name.replace(/\.cds$/, "");
  return TEXTS.has(bare) ? bare : undefined;
}

/**
 * Whether a package of this name takes the place of our module.
 *
 * @param name of our module
 */
export function yieldsToPackage(name: string): boolean {
  return name === COMMON_CONTENT;
}
