-- The user's name and tags, where a run came from, and the state of the files that a row was made of.
-- What is listed is read once more from the folders.
DELETE FROM runs;
ALTER TABLE runs ADD COLUMN name TEXT;
ALTER TABLE runs ADD COLUMN tags TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN origin TEXT;
ALTER TABLE runs ADD COLUMN stamp TEXT NOT NULL DEFAULT '';
-- What is said in a run, found by words; its rowid is that of the run.
CREATE VIRTUAL TABLE texts USING fts5(about, body, tokenize = "unicode61 remove_diacritics 2");
