-- The decode speed as the measures define it; what is listed is read once more from the folders.
DELETE FROM runs;
ALTER TABLE runs ADD COLUMN tps REAL;
