/// One act of a person on a terminal's keyboard or with its mouse.
package enum Key: Hashable, Sendable {
  /// A character was typed.
  case character(Character)
  /// A letter was typed with Ctrl, in lower case.
  case control(Character)
  case enter
  case tab
  /// Tab with Shift.
  case backTab
  case backspace
  case delete
  case insert
  case escape
  case arrow(Direction)
  case home
  case end
  case pageUp
  case pageDown
  /// A function key, from 1.
  case function(Int)
  /// Text was pasted.
  case paste(String)
  case mouse(Mouse)

  /// Where an arrow points.
  package enum Direction: Hashable, Sendable, CaseIterable {
    case up
    case down
    case right
    case left
  }

  /// Something that the mouse did at a cell.
  package struct Mouse: Hashable, Sendable {
    package var act: Act
    /// The cell's column, from 0.
    package var column: Int
    /// The cell's row, from 0.
    package var row: Int

    /// A kind of act of the mouse.
    package enum Act: Hashable, Sendable {
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
    package init(_ act: Act, column: Int, row: Int) {
      self.act = act
      self.column = column
      self.row = row
    }
  }
}
