-- A speed that is pooled over several methods means nothing.
UPDATE runs SET tps = NULL WHERE method LIKE '%,%';
