/**
 * The texts of the framework's own error codes (`behaviours` 5). `{0}` is the value or the entity.
 *
 * @module
 */

const TEXTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  en: {
    MULTIPLE_ERRORS: "Several errors occurred, see the details",
    ASSERT_MANDATORY: "A value is required",
    ASSERT_NOT_NULL: "The value must not be null",
    ASSERT_RANGE: "The value must lie between {1} and {2}",
    ASSERT_ENUM: "The value must be one of: {1}",
    ASSERT_FORMAT: "The value must match the pattern {1}",
    ASSERT_DATA_TYPE: "{0} is not a value of type {1}",
    DIVISION_BY_ZERO: "A number cannot be divided by zero",
    VALUE_OUT_OF_RANGE: "The calculated value is too large or too long",
    COMPUTED_TOO_LONG:
      "The computed texts are longer than {0} characters: join fewer or shorter ones (fw.limits.computedLength)",
    ANSWER_TOO_LARGE:
      "The answer is larger than {0} bytes: ask for less by $select, $filter or $top (fw.limits.answerBytes)",
    BATCH_ANSWER_TOO_LARGE:
      "The answers of the batch are larger than {0} bytes: send smaller batches (fw.limits.batchAnswerBytes)",
    TOO_MANY_UNKNOWN_MEMBERS: "The body has more than {0} unknown members (fw.limits.unknownMembers)",
    MESSAGES_LEFT_OUT: "{0} more messages were left out",
    ASSERT_CHARACTERS: "The text must not contain the character U+0000 or a lone surrogate",
    ASSERT_ARRAY: "An array is expected",
    ASSERT_KEY_ONLY: '"{0}" cannot be written here: "{1}" takes the key of an existing entry only',
    ASSERT_TARGET: "No entry with this key exists, or you may not see it",
    ENTITY_ALREADY_EXISTS: "An entry with this key exists already",
    UNIQUE_CONSTRAINT_VIOLATION: "Another entry has this value already",
    FK_CONSTRAINT_VIOLATION: "The referenced entry does not exist",
    ENTITY_IS_READ_ONLY: 'Entity "{0}" can only be read',
    ENTITY_IS_INSERT_ONLY: 'Entity "{0}" accepts new entries only',
    ENTITY_IS_NOT_CRUD: 'Entity "{0}" does not allow {1}',
    ENTITY_IS_AUTOEXPOSED: 'Entity "{0}" is reached by navigation only',
    INVALID_PUT: "PUT is possible for a single entry only",
    INVALID_PATCH: "PATCH is possible for a single entry only",
    INVALID_FLOW_TRANSITION_SINGLE: 'Action "{0}" requires "{1}" to be {2}',
    INVALID_FLOW_TRANSITION_MULTI: 'Action "{0}" requires "{1}" to be one of {2}',
    FLOW_WITHOUT_PREVIOUS: 'Action "{0}" goes back to an earlier "{1}", but there is none',
    DRAFT_ALREADY_EXISTS: "A draft for this entity already exists",
    DRAFT_ACTIVE_DELETE_FORBIDDEN_DRAFT_EXISTS: "The entry cannot be deleted, as it has a draft",
    DRAFT_LOCKED_BY_ANOTHER_USER: 'The entity is locked by user "{0}"',
    DRAFT_NOT_EXISTING: "There is no such draft",
    DRAFT_CHANGED_MEANWHILE: "This was changed meanwhile, too; the value of the draft holds",
    DRAFT_MODIFICATION_ONLY_VIA_ROOT: "Parts of drafts can only be changed by the path from their root",
    INVALID_DRAFT_REQUEST: "The request does not suit drafts",
    TOO_MANY_REQUESTS: "Too many requests",
    TOO_MANY_STREAMS: "Too many streams of events are open",
    EVENTS_GONE: "Events behind the last one you have are not kept any more, read the data again",
    ASYNC_REQUEST_LOST:
      "The request was not done, as its process has ended; nothing was changed, send it again",
    ASYNC_PARTS_LOST:
      "The requests were not all done, as their process has ended; some of them may have been done",
    ASYNC_ANSWER_LOST: "The request was done, but its answer is lost, as its process has ended",
    HANDLER_TIMEOUT: "The request took too long",
  },
  de: {
    MULTIPLE_ERRORS: "Mehrere Fehler sind aufgetreten, siehe Details",
    ASSERT_MANDATORY: "Ein Wert ist erforderlich",
    ASSERT_NOT_NULL: "Der Wert darf nicht leer sein",
    ASSERT_RANGE: "Der Wert muss zwischen {1} und {2} liegen",
    ASSERT_ENUM: "Der Wert muss einer der folgenden sein: {1}",
    ASSERT_FORMAT: "Der Wert muss dem Muster {1} entsprechen",
    ASSERT_DATA_TYPE: "{0} ist kein Wert des Typs {1}",
    DIVISION_BY_ZERO: "Eine Zahl kann nicht durch null geteilt werden",
    VALUE_OUT_OF_RANGE: "Der berechnete Wert ist zu groß oder zu lang",
    COMPUTED_TOO_LONG:
      "Die berechneten Texte sind länger als {0} Zeichen: weniger oder kürzere zusammenfügen (fw.limits.computedLength)",
    ANSWER_TOO_LARGE:
      "Die Antwort ist größer als {0} Bytes: mit $select, $filter oder $top weniger anfordern (fw.limits.answerBytes)",
    BATCH_ANSWER_TOO_LARGE:
      "Die Antworten des Stapels sind größer als {0} Bytes: kleinere Stapel senden (fw.limits.batchAnswerBytes)",
    TOO_MANY_UNKNOWN_MEMBERS: "Die Anfrage hat mehr als {0} unbekannte Angaben (fw.limits.unknownMembers)",
    MESSAGES_LEFT_OUT: "{0} weitere Meldungen wurden weggelassen",
    ASSERT_CHARACTERS: "Der Text darf weder das Zeichen U+0000 noch ein einzelnes Surrogat enthalten",
    ASSERT_ARRAY: "Eine Liste wird erwartet",
    ASSERT_KEY_ONLY:
      '"{0}" kann hier nicht geschrieben werden: "{1}" nimmt nur den Schlüssel eines vorhandenen Eintrags',
    ASSERT_TARGET: "Zu diesem Schlüssel gibt es keinen Eintrag, oder Sie dürfen ihn nicht sehen",
    ENTITY_ALREADY_EXISTS: "Ein Eintrag mit diesem Schlüssel ist bereits vorhanden",
    UNIQUE_CONSTRAINT_VIOLATION: "Ein anderer Eintrag hat diesen Wert bereits",
    FK_CONSTRAINT_VIOLATION: "Der angegebene Eintrag ist nicht vorhanden",
    ENTITY_IS_READ_ONLY: "Entität „{0}“ kann nur gelesen werden",
    ENTITY_IS_INSERT_ONLY: "Entität „{0}“ nimmt nur neue Einträge an",
    ENTITY_IS_NOT_CRUD: "Entität „{0}“ erlaubt {1} nicht",
    ENTITY_IS_AUTOEXPOSED: "Entität „{0}“ ist nur durch Navigation erreichbar",
    INVALID_PUT: "PUT ist nur für einen einzelnen Eintrag möglich",
    INVALID_PATCH: "PATCH ist nur für einen einzelnen Eintrag möglich",
    INVALID_FLOW_TRANSITION_SINGLE: "Aktion „{0}“ verlangt, dass „{1}“ den Wert {2} hat",
    INVALID_FLOW_TRANSITION_MULTI: "Aktion „{0}“ verlangt, dass „{1}“ einen dieser Werte hat: {2}",
    FLOW_WITHOUT_PREVIOUS: "Aktion „{0}“ führt zu einem früheren „{1}“ zurück, doch es gibt keinen",
    DRAFT_ALREADY_EXISTS: "Zu dieser Entität gibt es bereits einen Entwurf",
    DRAFT_ACTIVE_DELETE_FORBIDDEN_DRAFT_EXISTS:
      "Der Eintrag kann nicht gelöscht werden, da er einen Entwurf hat",
    DRAFT_LOCKED_BY_ANOTHER_USER: "Die Entität ist von Benutzer „{0}“ gesperrt",
    DRAFT_NOT_EXISTING: "Diesen Entwurf gibt es nicht",
    DRAFT_CHANGED_MEANWHILE: "Das wurde zwischenzeitlich auch geändert; es gilt der Wert des Entwurfs",
    DRAFT_MODIFICATION_ONLY_VIA_ROOT:
      "Teile von Entwürfen können nur über den Pfad von ihrer Wurzel geändert werden",
    INVALID_DRAFT_REQUEST: "Die Anfrage passt nicht zu Entwürfen",
    TOO_MANY_REQUESTS: "Zu viele Anfragen",
    TOO_MANY_STREAMS: "Zu viele Ereignisströme sind offen",
    EVENTS_GONE:
      "Ereignisse nach dem letzten bekannten werden nicht mehr aufbewahrt, bitte die Daten neu lesen",
    ASYNC_REQUEST_LOST:
      "Die Anfrage wurde nicht ausgeführt, da ihr Prozess geendet hat; nichts wurde geändert, senden Sie sie erneut",
    ASYNC_PARTS_LOST:
      "Nicht alle Anfragen wurden ausgeführt, da ihr Prozess geendet hat; einige von ihnen können ausgeführt worden sein",
    ASYNC_ANSWER_LOST:
      "Die Anfrage wurde ausgeführt, aber ihre Antwort ist verloren, da ihr Prozess geendet hat",
    HANDLER_TIMEOUT: "Die Anfrage hat zu lange gedauert",
  },
  fr: {
    MULTIPLE_ERRORS: "Plusieurs erreurs se sont produites, voir les détails",
    ASSERT_MANDATORY: "Une valeur est requise",
    ASSERT_NOT_NULL: "La valeur ne doit pas être nulle",
    ASSERT_RANGE: "La valeur doit être comprise entre {1} et {2}",
    ASSERT_ENUM: "La valeur doit être l’une des suivantes : {1}",
    ASSERT_FORMAT: "La valeur doit correspondre au modèle {1}",
    ASSERT_DATA_TYPE: "{0} n’est pas une valeur du type {1}",
    DIVISION_BY_ZERO: "Un nombre ne peut pas être divisé par zéro",
    VALUE_OUT_OF_RANGE: "La valeur calculée est trop grande ou trop longue",
    COMPUTED_TOO_LONG:
      "Les textes calculés dépassent {0} caractères : en assembler moins ou de plus courts (fw.limits.computedLength)",
    ANSWER_TOO_LARGE:
      "La réponse dépasse {0} octets : demander moins avec $select, $filter ou $top (fw.limits.answerBytes)",
    BATCH_ANSWER_TOO_LARGE:
      "Les réponses du lot dépassent {0} octets : envoyer des lots plus petits (fw.limits.batchAnswerBytes)",
    TOO_MANY_UNKNOWN_MEMBERS: "La requête contient plus de {0} membres inconnus (fw.limits.unknownMembers)",
    MESSAGES_LEFT_OUT: "{0} autres messages ont été omis",
    ASSERT_CHARACTERS: "Le texte ne doit contenir ni le caractère U+0000 ni un demi-codet isolé",
    ASSERT_ARRAY: "Une liste est attendue",
    ASSERT_KEY_ONLY: '"{0}" ne peut pas être écrit ici : "{1}" ne prend que la clé d’une entrée existante',
    ASSERT_TARGET: "Aucune entrée n’existe pour cette clé, ou vous ne pouvez pas la voir",
    ENTITY_ALREADY_EXISTS: "Une entrée avec cette clé existe déjà",
    UNIQUE_CONSTRAINT_VIOLATION: "Une autre entrée a déjà cette valeur",
    FK_CONSTRAINT_VIOLATION: "L’entrée référencée n’existe pas",
    ENTITY_IS_READ_ONLY: "L’entité « {0} » est en lecture seule",
    ENTITY_IS_INSERT_ONLY: "L’entité « {0} » n’accepte que de nouvelles entrées",
    ENTITY_IS_NOT_CRUD: "L’entité « {0} » ne permet pas {1}",
    ENTITY_IS_AUTOEXPOSED: "L’entité « {0} » n’est accessible que par navigation",
    INVALID_PUT: "PUT n’est possible que pour une seule entrée",
    INVALID_PATCH: "PATCH n’est possible que pour une seule entrée",
    INVALID_FLOW_TRANSITION_SINGLE: "L’action « {0} » exige que « {1} » soit {2}",
    INVALID_FLOW_TRANSITION_MULTI: "L’action « {0} » exige que « {1} » soit l’une de ces valeurs : {2}",
    FLOW_WITHOUT_PREVIOUS: "L’action « {0} » revient à un « {1} » antérieur, mais il n’y en a pas",
    DRAFT_ALREADY_EXISTS: "Un brouillon existe déjà pour cette entité",
    DRAFT_ACTIVE_DELETE_FORBIDDEN_DRAFT_EXISTS:
      "L’entrée ne peut pas être supprimée, car elle a un brouillon",
    DRAFT_LOCKED_BY_ANOTHER_USER: "L’entité est verrouillée par l’utilisateur « {0} »",
    DRAFT_NOT_EXISTING: "Ce brouillon n’existe pas",
    DRAFT_CHANGED_MEANWHILE: "Cela a aussi été modifié entre-temps ; la valeur du brouillon l’emporte",
    DRAFT_MODIFICATION_ONLY_VIA_ROOT:
      "Les parties d’un brouillon ne peuvent être modifiées que par le chemin depuis leur racine",
    INVALID_DRAFT_REQUEST: "La requête ne convient pas aux brouillons",
    TOO_MANY_REQUESTS: "Trop de requêtes",
    TOO_MANY_STREAMS: "Trop de flux d'événements sont ouverts",
    EVENTS_GONE: "Les événements suivant le dernier reçu ne sont plus conservés, relisez les données",
    ASYNC_REQUEST_LOST:
      "La requête n'a pas été exécutée, car son processus s'est arrêté ; rien n'a été modifié, renvoyez-la",
    ASYNC_PARTS_LOST:
      "Les requêtes n'ont pas toutes été exécutées, car leur processus s'est arrêté ; certaines peuvent l'avoir été",
    ASYNC_ANSWER_LOST:
      "La requête a été exécutée, mais sa réponse est perdue, car son processus s'est arrêté",
    HANDLER_TIMEOUT: "La requête a pris trop de temps",
  },
  es: {
    MULTIPLE_ERRORS: "Se han producido varios errores, consulte los detalles",
    ASSERT_MANDATORY: "Se requiere un valor",
    ASSERT_NOT_NULL: "El valor no debe ser nulo",
    ASSERT_RANGE: "El valor debe estar entre {1} y {2}",
    ASSERT_ENUM: "El valor debe ser uno de los siguientes: {1}",
    ASSERT_FORMAT: "El valor debe coincidir con el patrón {1}",
    ASSERT_DATA_TYPE: "{0} no es un valor del tipo {1}",
    DIVISION_BY_ZERO: "Un número no se puede dividir por cero",
    VALUE_OUT_OF_RANGE: "El valor calculado es demasiado grande o demasiado largo",
    COMPUTED_TOO_LONG:
      "Los textos calculados superan {0} caracteres: una menos o más cortos (fw.limits.computedLength)",
    ANSWER_TOO_LARGE:
      "La respuesta supera {0} bytes: pida menos con $select, $filter o $top (fw.limits.answerBytes)",
    BATCH_ANSWER_TOO_LARGE:
      "Las respuestas del lote superan {0} bytes: envíe lotes más pequeños (fw.limits.batchAnswerBytes)",
    TOO_MANY_UNKNOWN_MEMBERS:
      "La solicitud tiene más de {0} miembros desconocidos (fw.limits.unknownMembers)",
    MESSAGES_LEFT_OUT: "Se omitieron {0} mensajes más",
    ASSERT_CHARACTERS: "El texto no debe contener el carácter U+0000 ni un sustituto aislado",
    ASSERT_ARRAY: "Se espera una lista",
    ASSERT_KEY_ONLY: '"{0}" no se puede escribir aquí: "{1}" solo admite la clave de una entrada existente',
    ASSERT_TARGET: "No existe ninguna entrada con esta clave, o no puede verla",
    ENTITY_ALREADY_EXISTS: "Ya existe una entrada con esta clave",
    UNIQUE_CONSTRAINT_VIOLATION: "Otra entrada ya tiene este valor",
    FK_CONSTRAINT_VIOLATION: "La entrada referenciada no existe",
    ENTITY_IS_READ_ONLY: "La entidad «{0}» es de solo lectura",
    ENTITY_IS_INSERT_ONLY: "La entidad «{0}» solo admite entradas nuevas",
    ENTITY_IS_NOT_CRUD: "La entidad «{0}» no permite {1}",
    ENTITY_IS_AUTOEXPOSED: "La entidad «{0}» solo es accesible por navegación",
    INVALID_PUT: "PUT solo es posible para una única entrada",
    INVALID_PATCH: "PATCH solo es posible para una única entrada",
    INVALID_FLOW_TRANSITION_SINGLE: "La acción «{0}» exige que «{1}» sea {2}",
    INVALID_FLOW_TRANSITION_MULTI: "La acción «{0}» exige que «{1}» sea uno de estos valores: {2}",
    FLOW_WITHOUT_PREVIOUS: "La acción «{0}» vuelve a un «{1}» anterior, pero no lo hay",
    DRAFT_ALREADY_EXISTS: "Ya existe un borrador de esta entidad",
    DRAFT_ACTIVE_DELETE_FORBIDDEN_DRAFT_EXISTS: "La entrada no se puede borrar porque tiene un borrador",
    DRAFT_LOCKED_BY_ANOTHER_USER: "La entidad está bloqueada por el usuario «{0}»",
    DRAFT_NOT_EXISTING: "Ese borrador no existe",
    DRAFT_CHANGED_MEANWHILE: "Esto también se modificó entretanto; vale el valor del borrador",
    DRAFT_MODIFICATION_ONLY_VIA_ROOT: "Las partes de un borrador solo se cambian por la ruta desde su raíz",
    INVALID_DRAFT_REQUEST: "La solicitud no es adecuada para borradores",
    TOO_MANY_REQUESTS: "Demasiadas solicitudes",
    TOO_MANY_STREAMS: "Hay demasiados flujos de eventos abiertos",
    EVENTS_GONE: "Los eventos posteriores al último recibido ya no se conservan, vuelva a leer los datos",
    ASYNC_REQUEST_LOST:
      "La solicitud no se ha ejecutado porque su proceso ha terminado; no se ha cambiado nada, envíela de nuevo",
    ASYNC_PARTS_LOST:
      "No se han ejecutado todas las solicitudes porque su proceso ha terminado; algunas pueden haberse ejecutado",
    ASYNC_ANSWER_LOST:
      "La solicitud se ha ejecutado, pero su respuesta se ha perdido porque su proceso ha terminado",
    HANDLER_TIMEOUT: "La solicitud ha tardado demasiado",
  },
};

/** Our texts by locale. */
export const FRAMEWORK_TEXTS: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map(
  Object.entries(TEXTS).map(([locale, texts]) => [locale, new Map(Object.entries(texts))]),
);
