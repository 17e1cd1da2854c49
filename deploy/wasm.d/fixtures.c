#include "fixtures.h"

static const unsigned char record[] = {
#embed "../../Tests/MatchWireTests/Fixtures/record-1.json"
};
static const unsigned char record_of_devices[] = {
#embed "../../Tests/MatchWireTests/Fixtures/record-2.json"
};
static const unsigned char games[] = {
#embed "../../Tests/CubeRulesTests/Fixtures/games.json"
};
static const unsigned char turns[] = {
#embed "../../Tests/CubeRulesTests/Fixtures/turns.json"
};

const struct fixture cubist_record = {record, sizeof record};
const struct fixture cubist_record_of_devices = {record_of_devices, sizeof record_of_devices};
const struct fixture cubist_games = {games, sizeof games};
const struct fixture cubist_turns = {turns, sizeof turns};
