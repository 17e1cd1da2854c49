// Nothing is called: the library is preloaded, see trusting.c.
#pragma once
