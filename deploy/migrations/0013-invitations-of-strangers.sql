-- Invitations of strangers are counted by days, withdrawn and declined ones included.

CREATE TABLE stranger_invitations (
  day date NOT NULL,
  player uuid NOT NULL,
  sender uuid NOT NULL,
  sent integer NOT NULL,
  PRIMARY KEY (day, player, sender)
);
COMMENT ON TABLE stranger_invitations IS
  'How often players whom one has never met have invited one on a day (UTC), kept two days.';
COMMENT ON COLUMN stranger_invitations.sent IS
  'Withdrawn, declined and expired ones included.';

INSERT INTO schema_version (version) VALUES (13);
