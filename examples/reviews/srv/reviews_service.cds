using { reviews } from '../db/schema';

/** Readers rate books; whoever shows books learns of it by an event. */
service ReviewsService {
  @restrict: [
    { grant: 'READ' },
    { grant: 'CREATE', to: 'authenticated-user' },
    { grant: ['UPDATE', 'DELETE'], to: 'authenticated-user', where: (createdBy = $user) }
  ]
  entity Reviews as projection on reviews.Reviews;

  /** The average rating of a book has changed. */
  event RatingChanged {
    book    : Integer;
    rating  : Decimal(2, 1);
    reviews : Integer;
  }
}
