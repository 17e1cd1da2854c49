#include "CEmbedded.h"

static const unsigned char migration_0001[] = {
#embed "../../deploy/migrations/0001-first-schema.sql"
};

static const unsigned char migration_0002[] = {
#embed "../../deploy/migrations/0002-casual-matches.sql"
};

static const unsigned char migration_0003[] = {
#embed "../../deploy/migrations/0003-ratings.sql"
};

static const unsigned char migration_0004[] = {
#embed "../../deploy/migrations/0004-leaderboards.sql"
};

static const unsigned char migration_0005[] = {
#embed "../../deploy/migrations/0005-notifications.sql"
};

static const unsigned char migration_0006[] = {
#embed "../../deploy/migrations/0006-key-revocations.sql"
};

static const unsigned char migration_0007[] = {
#embed "../../deploy/migrations/0007-blocks.sql"
};

static const unsigned char migration_0008[] = {
#embed "../../deploy/migrations/0008-pairing.sql"
};

static const unsigned char migration_0009[] = {
#embed "../../deploy/migrations/0009-state-last.sql"
};

static const unsigned char migration_0010[] = {
#embed "../../deploy/migrations/0010-hostile-clients.sql"
};

static const unsigned char migration_0011[] = {
#embed "../../deploy/migrations/0011-no-bad-night.sql"
};

static const unsigned char migration_0012[] = {
#embed "../../deploy/migrations/0012-bounded-work.sql"
};

static const unsigned char migration_0013[] = {
#embed "../../deploy/migrations/0013-invitations-of-strangers.sql"
};

static const unsigned char migration_0014[] = {
#embed "../../deploy/migrations/0014-one-database-a-broker.sql"
};

static const unsigned char migration_0015[] = {
#embed "../../deploy/migrations/0015-ranking-in-time.sql"
};

static const unsigned char migration_0016[] = {
#embed "../../deploy/migrations/0016-bots.sql"
};

static const unsigned char migration_0017[] = {
#embed "../../deploy/migrations/0017-boards.sql"
};

static const unsigned char migration_0018[] = {
#embed "../../deploy/migrations/0018-reports.sql"
};

static const unsigned char migration_0019[] = {
#embed "../../deploy/migrations/0019-player-keys.sql"
};

static const unsigned char migration_0020[] = {
#embed "../../deploy/migrations/0020-recoveries.sql"
};
static const unsigned char migration_0021[] = {
#embed "../../deploy/migrations/0021-push.sql"
};

static const unsigned char migration_0022[] = {
#embed "../../deploy/migrations/0022-departures-and-owed-jobs.sql"
};

// One row a migration, in their order.
static const struct cubist_migration migrations[] = {
    {1, migration_0001, sizeof migration_0001},
    {2, migration_0002, sizeof migration_0002},
    {3, migration_0003, sizeof migration_0003},
    {4, migration_0004, sizeof migration_0004},
    {5, migration_0005, sizeof migration_0005},
    {6, migration_0006, sizeof migration_0006},
    {7, migration_0007, sizeof migration_0007},
    {8, migration_0008, sizeof migration_0008},
    {9, migration_0009, sizeof migration_0009},
    {10, migration_0010, sizeof migration_0010},
    {11, migration_0011, sizeof migration_0011},
    {12, migration_0012, sizeof migration_0012},
    {13, migration_0013, sizeof migration_0013},
    {14, migration_0014, sizeof migration_0014},
    {15, migration_0015, sizeof migration_0015},
    {16, migration_0016, sizeof migration_0016},
    {17, migration_0017, sizeof migration_0017},
    {18, migration_0018, sizeof migration_0018},
    {19, migration_0019, sizeof migration_0019},
    {20, migration_0020, sizeof migration_0020},
    {21, migration_0021, sizeof migration_0021},
    {22, migration_0022, sizeof migration_0022},
};

const struct cubist_migration *const cubist_migrations = migrations;
const size_t cubist_migrations_count = sizeof migrations / sizeof *migrations;
