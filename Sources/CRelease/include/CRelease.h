#pragma once

/// The commit that the program was built from, in hexadecimal, with "-dirty" behind it where files
/// differed from it. Null where nobody told the build.
extern const char *_Nullable const cubist_commit;
