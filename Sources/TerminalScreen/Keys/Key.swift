/// What a person did on a terminal's keyboard or with its mouse.
public enum Key: Hashable, Sendable {
  /// A character was typed.
  case character(Character)
  /// A letter was typed with Ctrl, in lower case.
  case control(Character)
  /// Enter.
  case enter
  /// Tab.
  case tab
  /// Tab with Shift.
  case backTab
  /// Backspace.
  case backspace
  /// Delete.
  case delete
  /// Insert.
  case insert
  /// Escape.
  case escape
  /// An arrow.
  case arrow(Direction)
  /// Home.
  case home
  /// End.
  case end
  /// Page up.
  case pageUp
  /// Page down.
  case pageDown
  /// A function key, from 1.
  case function(Int)
  /// Text was pasted.
  case paste(String)
  /// The mouse.
  case mouse(Mouse)

  /// Where an arrow points.
  public enum Direction: Hashable, Sendable, CaseIterable {
    /// Up.
    case up
    /// Down.
    case down
    /// To the right.
    case right
    /// To the left.
    case left
  }

  /// Something that the mouse did at a cell.
  public struct Mouse: Hashable, Sendable {
    /// What it did.
    public var act: Act
    /// The cell's column, from 0.
    public var column: Int
    /// The cell's row, from 0.
    public var row: Int

    /// What a mouse does.
    public enum Act: Hashable, Sendable {
      /// Its left button was pressed.
      case press
      /// It was moved while the left button was down.
      case drag
      /// The left button was let go.
      case release
      /// Its wheel was turned up.
      case wheelUp
      /// Its wheel was turned down.
      case wheelDown
    }

    /// Something that the mouse did.
    public init(_ act: Act, column: Int, row: Int) {
      self.act = act
      self.column = column
      self.row = row
    }
  }
}
