#include "fixtures.h"

static const unsigned char record[] = {
#embed "../../Tests/MatchWireTests/Fixtures/record-1.json"
};
static const unsigned char record_of_devices[] = {
#embed "../../Tests/MatchWireTests/Fixtures/record-2.json"
};
static const unsigned char record_of_invited[] = {
#embed "../../Tests/MatchWireTests/Fixtures/record-2-invited.json"
};
static const unsigned char record_of_recovered[] = {
#embed "../../Tests/MatchWireTests/Fixtures/record-2-recovered.json"
};
static const unsigned char games[] = {
#embed "../../Tests/CubeRulesTests/Fixtures/games.json"
};
static const unsigned char turns[] = {
#embed "../../Tests/CubeRulesTests/Fixtures/turns.json"
};

const struct fixture cubist_records[4] = {
  {record, sizeof record},
  {record_of_devices, sizeof record_of_devices},
  {record_of_invited, sizeof record_of_invited},
  {record_of_recovered, sizeof record_of_recovered},
};
const struct fixture cubist_games = {games, sizeof games};
const struct fixture cubist_turns = {turns, sizeof turns};
