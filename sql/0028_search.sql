-- What search and place pages show of buildings, rooms and places (N-1.2).

ALTER TABLE buildings
    ADD COLUMN code          text,
    -- Array of texts.
    ADD COLUMN other_names   jsonb,
    ADD COLUMN opening_hours text,
    ADD COLUMN website       text,
    ADD COLUMN phone         text,
    ADD COLUMN wheelchair    text,
    -- Array of objects as in `places.page`.
    ADD COLUMN entrances     jsonb;

ALTER TABLE places
    ADD COLUMN code          text,
    ADD COLUMN other_names   jsonb,
    ADD COLUMN level         text,
    ADD COLUMN opening_hours text CHECK (char_length(opening_hours) <= 255),
    ADD COLUMN website       text CHECK (char_length(website) <= 255),
    ADD COLUMN phone         text CHECK (char_length(phone) <= 100),
    ADD COLUMN menu          text CHECK (char_length(menu) <= 5000),
    -- Whether an admin has put it elsewhere than the import.
    ADD COLUMN is_moved      boolean NOT NULL DEFAULT false,
    -- Account that may edit the place's page, besides admins.
    ADD COLUMN manager_id    bigint REFERENCES accounts ON DELETE SET NULL;
CREATE INDEX places_of_manager ON places (manager_id) WHERE manager_id IS NOT NULL;

-- Pictures on the page of a place. Whoever may edit the page uploads them.
ALTER TABLE pictures
    DROP CONSTRAINT pictures_purpose_check,
    ADD CONSTRAINT pictures_purpose_check CHECK (purpose IN ('profile', 'chat', 'place')),
    -- Place whose page has the picture; NULL until the page is saved.
    ADD COLUMN place_id   bigint REFERENCES places ON DELETE CASCADE,
    -- Position on the page, from 1.
    ADD COLUMN place_rank integer CHECK (place_rank > 0),
    ADD CHECK (purpose = 'place' OR place_id IS NULL),
    ADD CHECK ((place_id IS NULL) = (place_rank IS NULL));
CREATE INDEX pictures_of_place ON pictures (place_id) WHERE place_id IS NOT NULL;
-- Pictures that were uploaded and are not used yet.
DROP INDEX pictures_unused;
CREATE INDEX pictures_unused ON pictures (created_at) WHERE purpose <> 'profile' AND at_offset IS NULL AND place_id IS NULL;

CREATE TABLE rooms (
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    source_id       text NOT NULL UNIQUE,
    -- `source_id` of the building around the room.
    building_source text,
    name            text,
    code            text,
    other_names     jsonb,
    level           text,
    kind            text NOT NULL,
    wheelchair      text,
    opening_hours   text,
    website         text,
    phone           text,
    -- A position inside the room.
    lat             double precision NOT NULL,
    lon             double precision NOT NULL,
    -- The outline, or the position if the source has only that.
    geometry        geometry(Geometry, 4326) NOT NULL
);
