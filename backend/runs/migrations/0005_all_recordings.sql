-- A row names also the recordings that came while its run went on, and all can be found by their names.
-- What is listed is read once more from the folders.
DELETE FROM texts;
DELETE FROM runs;
