#include "CEmbedded.h"

static const unsigned char bytes[] = {
#embed "../../deploy/servers"
};

const unsigned char *const cubist_servers_script = bytes;
const size_t cubist_servers_script_size = sizeof bytes;
