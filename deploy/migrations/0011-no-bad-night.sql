-- What keeps outages, locks, full disks, expired keys and slow hours from costing a game or a record.

INSERT INTO schema_version (version) VALUES (11);
