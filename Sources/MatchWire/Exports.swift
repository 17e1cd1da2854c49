// The parts of a record travel as well. They are in a separate module so that a web page can use
// them.
@_exported public import MatchRecord
