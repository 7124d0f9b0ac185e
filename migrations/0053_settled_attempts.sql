-- Attempts that were given up are kept for longer than those that became orders: each sweep finds its own, and passes over none of the other's.
create index capture_attempts_done on capture_attempts (updated_at) where state = 'done';
create index capture_attempts_released on capture_attempts (updated_at) where state = 'released';
drop index capture_attempts_settled;
