-- One row a run; everything in it is derived from the run's folder and can be made again.
CREATE TABLE runs (
    run         TEXT PRIMARY KEY,
    created     TEXT NOT NULL,
    command     TEXT NOT NULL,
    status      TEXT NOT NULL,
    title       TEXT NOT NULL,
    device      TEXT NOT NULL,
    target      TEXT NOT NULL,
    drafter     TEXT,
    method      TEXT NOT NULL,
    recordings  INTEGER NOT NULL,
    audio_s     REAL NOT NULL,
    tokens      INTEGER NOT NULL,
    calls       INTEGER NOT NULL,
    guard_calls INTEGER NOT NULL,
    proposed    INTEGER NOT NULL,
    accepted    INTEGER NOT NULL,
    decode_s    REAL NOT NULL,
    bytes       INTEGER NOT NULL
);
CREATE INDEX runs_by_time ON runs (created);
