#include "record.h"

static const unsigned char record[] = {
#embed "../../Tests/MatchWireTests/Fixtures/record-1.json"
};

const unsigned char *record_start(void) { return record; }

size_t record_bytes(void) { return sizeof record; }
