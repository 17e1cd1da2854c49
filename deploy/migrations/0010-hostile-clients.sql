-- What keeps a hostile client from stopping, blinding or cheating the others.

INSERT INTO schema_version (version) VALUES (10);
