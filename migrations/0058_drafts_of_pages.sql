-- What was typed on the page of the checkout for a payment that came to nothing is kept for a day with its attempt, so that a shopper who comes back
-- need not type it again (docs/decisions/0068). The sweep that takes it away finds it by this.
create index capture_attempts_released_drafts on capture_attempts (updated_at) where state = 'released' and draft is not null;
