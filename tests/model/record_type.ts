/**
 * The types of records as CSDL JSON 4.01 clause 14.4.12 has them.
 *
 * @module
 */

const OASIS = "https://oasis-tcs.github.io/odata-vocabularies/vocabularies/Org.OData.";
const SAP = "https://sap.github.io/odata-vocabularies/vocabularies/";

const DOCUMENTS: Readonly<Record<string, string>> = {
  Capabilities: `${OASIS}Capabilities.V1.xml`,
  Common: `${SAP}Common.xml`,
  Core: `${OASIS}Core.V1.xml`,
  UI: `${SAP}UI.xml`,
  Validation: `${OASIS}Validation.V1.xml`,
};

/** The member of a record that tells its type: the document that defines it, and its name there. */
export function recordType(type: string, version: "4.0" | "4.01" = "4.0"): Record<string, string> {
  const document = DOCUMENTS[type.slice(0, type.indexOf("."))];
  return { [version === "4.0" ? "@odata.type" : "@type"]: `${document}#${type}` };
}
