// What a record is made of travels as well: it is a module of its own so that a page can read it.
@_exported public import MatchRecord
