/**
 * The module that models know as `@sap/cds/common`, in our own words (csn-cqn 9): the definitions models rely on, and
 * nothing else.
 *
 * @module
 */

/** Its CDL text. */
export const COMMON_MODULE_TEXT: string = `
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
