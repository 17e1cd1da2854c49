// Nothing is called: the library is preloaded, see killing.c.
#pragma once
