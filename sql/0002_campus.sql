-- The campus: zones, buildings and the other objects of the map. A second import updates rows in place; it finds them by `ref` or
-- `source_id`.

CREATE TABLE campus (
    id          bigint PRIMARY KEY CHECK (id = 1),
    name        text NOT NULL,
    attribution text,
    version     bigint NOT NULL DEFAULT 1,
    south       double precision,
    west        double precision,
    north       double precision,
    east        double precision
);

-- An import does not change zones and places that an admin made or edited (`is_own`), and does not restore those that an admin removed.
CREATE TABLE zones (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    ref        text NOT NULL UNIQUE,
    name       text NOT NULL,
    geometry   geometry(MultiPolygon, 4326) NOT NULL,
    is_own     boolean NOT NULL DEFAULT false,
    is_removed boolean NOT NULL DEFAULT false,
    -- Whether people live in the zone. The location of an account can be hidden in residences.
    residence  boolean NOT NULL DEFAULT false
);

CREATE TABLE buildings (
    id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    source_id text NOT NULL UNIQUE,
    name      text,
    levels    integer,
    geometry  geometry(MultiPolygon, 4326) NOT NULL,
    residence boolean NOT NULL DEFAULT false
);

CREATE TABLE ways (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    source_id  text NOT NULL UNIQUE,
    kind       text NOT NULL,
    name       text,
    step_free  boolean NOT NULL,
    wheelchair text,
    walkable   boolean NOT NULL,
    is_area    boolean NOT NULL,
    geometry   geometry(LineString, 4326) NOT NULL
);

CREATE TABLE places (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    source_id  text NOT NULL UNIQUE,
    name       text,
    kind       text NOT NULL,
    wheelchair text,
    geometry   geometry(Point, 4326) NOT NULL,
    is_own     boolean NOT NULL DEFAULT false,
    is_removed boolean NOT NULL DEFAULT false,
    details    text CHECK (char_length(details) <= 1000)
);

CREATE TABLE areas (
    id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    source_id text NOT NULL UNIQUE,
    kind      text NOT NULL,
    name      text,
    geometry  geometry(MultiPolygon, 4326) NOT NULL
);
