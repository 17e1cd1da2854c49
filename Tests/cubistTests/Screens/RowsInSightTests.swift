import Testing

@testable import GameScreens

@Suite("The rows of a list in sight")
struct RowsInSightTests {
  @Test("The selected row is in the middle, or near an end of the list")
  func places() {
    let rows = Array(0..<20)
    #expect(rows.places(around: 0, room: 5) == 0..<5)
    #expect(rows.places(around: 10, room: 5) == 8..<13)
    #expect(rows.places(around: 19, room: 5) == 15..<20)
    #expect(rows.places(around: 3, room: 30) == 0..<20)
  }

  @Test("The selected row is in sight wherever it is, and no place is beyond the list")
  func bounds() {
    for count in 0..<8 {
      let rows = Array(0..<count)
      for room in -2..<10 {
        for selected in -1...count {
          let places = rows.places(around: selected, room: room)
          #expect(places.count == min(max(0, room), count))
          #expect(places.isEmpty || rows.indices.contains(places.lowerBound))
          #expect(places.upperBound <= count)
          if room > 0, rows.indices.contains(selected) { #expect(places.contains(selected)) }
        }
      }
    }
  }
}
