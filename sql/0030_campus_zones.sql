-- A size of private zones that fits a campus, where the others hide most of it (finding C7). The previous release hides an account everywhere
-- that has one.
ALTER TABLE private_zones DROP CONSTRAINT private_zones_size_check;
ALTER TABLE private_zones ADD CONSTRAINT private_zones_size_check CHECK (size IN ('tiny', 'small', 'medium', 'large'));
