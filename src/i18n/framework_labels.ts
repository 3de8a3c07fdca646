/**
 * Labels of the common module (`{i18n>CreatedAt}` and the like) for `$metadata`.
 *
 * @module
 */

type Labels = Readonly<Record<string, string>>;

const LABELS: Readonly<Record<string, Labels>> = {
  en: {
    UserID: "User",
    "UserID.Description": "Name of a user",
    CreatedAt: "Created at",
    CreatedBy: "Created by",
    ChangedAt: "Changed at",
    ChangedBy: "Changed by",
    Name: "Name",
    Description: "Description",
    Country: "Country",
    CountryCode: "Country code",
    "CountryCode.Description": "Country by its ISO 3166 code",
    Currency: "Currency",
    CurrencyCode: "Currency code",
    "CurrencyCode.Description": "Currency by its ISO 4217 code",
    CurrencySymbol: "Currency symbol",
    CurrencyMinorUnit: "Decimal places",
    Language: "Language",
    LanguageCode: "Language code",
    "LanguageCode.Description": "Language by its code",
    TimeZoneCode: "Time zone",
  },
  de: {
    UserID: "Benutzer",
    "UserID.Description": "Name eines Benutzers",
    CreatedAt: "Angelegt am",
    CreatedBy: "Angelegt von",
    ChangedAt: "Geändert am",
    ChangedBy: "Geändert von",
    Name: "Name",
    Description: "Beschreibung",
    Country: "Land",
    CountryCode: "Ländercode",
    "CountryCode.Description": "Land nach ISO 3166",
    Currency: "Währung",
    CurrencyCode: "Währungscode",
    "CurrencyCode.Description": "Währung nach ISO 4217",
    CurrencySymbol: "Währungssymbol",
    CurrencyMinorUnit: "Nachkommastellen",
    Language: "Sprache",
    LanguageCode: "Sprachcode",
    "LanguageCode.Description": "Sprache nach ihrem Code",
    TimeZoneCode: "Zeitzone",
  },
  fr: {
    UserID: "Utilisateur",
    "UserID.Description": "Nom d’un utilisateur",
    CreatedAt: "Date/Heure de création",
    CreatedBy: "Auteur de la création",
    ChangedAt: "Date/Heure de modification",
    ChangedBy: "Auteur de la modification",
    Name: "Nom",
    Description: "Description",
    Country: "Pays",
    CountryCode: "Code du pays",
    "CountryCode.Description": "Pays selon son code ISO 3166",
    Currency: "Devise",
    CurrencyCode: "Code de la devise",
    "CurrencyCode.Description": "Devise selon son code ISO 4217",
    CurrencySymbol: "Symbole de la devise",
    CurrencyMinorUnit: "Nombre de décimales",
    Language: "Langue",
    LanguageCode: "Code de la langue",
    "LanguageCode.Description": "Langue selon son code",
    TimeZoneCode: "Fuseau horaire",
  },
  es: {
    UserID: "Usuario",
    "UserID.Description": "Nombre de un usuario",
    CreatedAt: "Fecha de creación",
    CreatedBy: "Creado por",
    ChangedAt: "Fecha de modificación",
    ChangedBy: "Modificado por",
    Name: "Nombre",
    Description: "Descripción",
    Country: "País",
    CountryCode: "Código del país",
    "CountryCode.Description": "País según su código ISO 3166",
    Currency: "Moneda",
    CurrencyCode: "Código de la moneda",
    "CurrencyCode.Description": "Moneda según su código ISO 4217",
    CurrencySymbol: "Símbolo de la moneda",
    CurrencyMinorUnit: "Número de decimales",
    Language: "Idioma",
    LanguageCode: "Código del idioma",
    "LanguageCode.Description": "Idioma según su código",
    TimeZoneCode: "Zona horaria",
  },
};

const FRAMEWORK_LABELS: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map(
  Object.entries(LABELS).map(([locale, labels]) => [locale, new Map(Object.entries(labels))]),
);

/**
 * Our own label for a key of the common module.
 *
 * @param key the key
 * @param locale normalized locale
 * @returns the label, in English for languages we do not speak; undefined if there is none
 */
export function frameworkLabel(key: string, locale: string | undefined): string | undefined {
  const language = (locale ?? "en").split("_", 1)[0]!;
  return (FRAMEWORK_LABELS.get(language) ?? FRAMEWORK_LABELS.get("en"))?.get(key);
}
