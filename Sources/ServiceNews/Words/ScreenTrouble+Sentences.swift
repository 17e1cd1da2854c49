package import CubePlay

extension ScreenTrouble {
  package static let nobody = ScreenTrouble.said("There is no player of that name.")
  package static let yourself = ScreenTrouble.said("That is yourself.")
  package static let noNotification = ScreenTrouble.said("There is no such notification.")
}
