/** The service of the second process, as far as this one listens to it. */
@cds.external
service ReviewsService {
  /** The average rating of a book has changed. */
  event RatingChanged {
    book    : Integer;
    rating  : Decimal(2, 1);
    reviews : Integer;
  }
}
