// Nothing to call: the library replaces pwrite in the process that it is preloaded into.
