#include "CEmbedded.h"

static const unsigned char openapi[] = {
#embed "openapi.json"
};

const unsigned char *const cubist_openapi = openapi;
const size_t cubist_openapi_size = sizeof openapi;
