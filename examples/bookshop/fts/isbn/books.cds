using { bookshop } from '../../db/schema';
using { CatalogService } from '../../srv/catalog_service';

/** What users with the feature toggle `isbn` see beside all others. */
extend bookshop.Books with {
  isbn : String(13) @assert.format: '^97[89][0-9]{10}$';
}

extend projection CatalogService.Books with { isbn };
