/*
 * What pages of OpenUI5 and the like read in the metadata of AdminService: the columns of a table, lists of values, a tree.
 */

using { bookshop } from '../db/schema';
using { AdminService } from './admin_service';

annotate AdminService.Books with @UI.LineItem: [
  { Value: ID }, { Value: title }, { Value: author_ID }, { Value: genre_ID }, { Value: price }, { Value: currency_code }
];

annotate bookshop.Books with {
  ID     @title: 'Number';
  title  @title: 'Title';
  author @title: 'Author';
  genre  @title: 'Genre';
  price  @title: 'Price';
}

annotate bookshop.Authors with @title: 'Authors' @cds.odata.valuelist @UI.Identification: [{ Value: name }];
annotate bookshop.Genres with @title: 'Genres' @cds.odata.valuelist @UI.Identification: [{ Value: name }];

annotate bookshop.Authors with { name @title: 'Name'; }
annotate bookshop.Genres with { name @title: 'Name'; }

annotate AdminService.Genres with @hierarchy: parent;
