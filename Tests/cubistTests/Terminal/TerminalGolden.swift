/// The golden pictures; see `TerminalGoldenTests`.
enum Golden {
  static let fullCube = """
                     ⢀⡠⠔⠊⠑⠢⢄⡀
                 ⢀⡠⠔⠊⠁  S   ⠈⠑⠢⢄⡀
             ⢀⡠⠔⠊⠁⠈⠑⠢⢄⡀    ⢀⡠⠔⠊⠁⠈⠑⠢⢄⡀
         ⢀⡠⢔⡊⠁   V    ⠈⢑⡢⢔⡊⠁   T    ⠈⢑⡢⢄⡀
     ⢀⡠⠔⠊⠁  ⠈⠑⠢⢄⡀  ⢀⡠⠔⠊⠁  ⠈⠑⠢⢄⡀  ⢀⡠⠔⠊⠁  ⠈⠑⠢⢄⡀
    ⡮⢅⡀   Y    ⢀⡨⠕⠪⢅⡀   W    ⢀⡨⠕⠪⢅⡀   U    ⢀⡨⢵
    ⡇ ⠈⠑⠢⢄⡀⢀⡠⠔⠊⠁ Z  ⠈⠑⠢⢄⡀⢀⡠⠔⠊⠁ X  ⠈⠑⠢⢄⡀⢀⡠⠔⠊⠁ ⢸
    ⡇  Z  ⠈⡗⠢⢄⡀      ⢀⡠⠔⠊⠑⠢⢄⡀      ⢀⡠⠔⠊⡇  W  ⢸
    ⡃      ⡇  ⠈⠑⠢⢄⡠⠔⠊⠁  A   ⠈⠑⠢⢄⡠⠔⠊⠁   ⡇     ⢸
    ⡏⠑⠢⢄⡀  ⡇  A   ⡏⠑⠢⢄⡀    ⢀⡠⠔⠊⠁⡇  Z   ⡇ ⢀⡠⠔⠊⢹
    ⡇   ⠈⠑⠢⣅⡀     ⡇   ⠈⠑⠢⡔⠊⠁    ⡇    ⢀⡠⡕⠊⠁   ⢸
    ⡇ QU   ⡇⠈⠑⠢⢄⡀ ⡇  B   ⡇  C   ⡇⢀⡠⠔⠊⠁ ⡇  N  ⢸
    ⡦⢄⡀    ⡇    ⠈⠑⡦⢄⡀    ⡇   ⢀⡠⠔⡎⠁     ⡇   ⢀⡠⢼
    ⡇ ⠈⠑⠢⢄⡀⠇  R   ⡇ ⠈⠑⠢⢄⡀⢇⡠⠔⠊⠁  ⡇ QU   ⢇⡠⠔⠊⠁ ⢸
    ⡇  H  ⠈⡗⠢⢄⡀   ⡇  S  ⠈⡇  T   ⡇  ⢀⡠⠔⠊⡇  E  ⢸
    ⢇⡀     ⡇  ⠈⠑⠢⢄⡃      ⡇     ⢀⡣⠔⠊⠁   ⡇    ⢀⡸
     ⠈⠑⠢⢄⡀ ⡇  I   ⡏⠑⠢⢄⡀  ⡇ ⢀⡠⠔⠊⠁⡇  H   ⡇⢀⡠⠔⠊⠁
         ⠈⠑⠣⢄⡀    ⡇   ⠈⠑⠢⡕⠊⠁    ⡇   ⢀⡠⠔⠋⠁
             ⠈⠑⠢⢄⡀⡇  J   ⡇  K   ⣇⡠⠔⠊⠁
                 ⠈⠑⠢⢄⡀   ⡇  ⢀⡠⠔⠊⠁                · used once
                     ⠈⠑⠢⢄⡧⠔⠊⠁                    : used twice

    """

  static let fullCubeAsGrids = """
    Top faces, back row first:
    020T S  120T T  220T U
    021T V  121T W  221T X
    022T Y  122T Z  222T A
    Left faces, upper row first:
    022L Z   122L A   222L B
    012L QU  112L R   212L S
    002L H   102L I   202L J
    Right faces, upper row first:
    222R C   221R Z   220R W
    212R T   211R QU  210R N
    202R K   201R H   200R E
    +1 used once, +2 used twice.

    """

  static let midGameAsGrids = """
    ada SEQUENT 560
    grace MOTTOES 336
    ada UNYOKE 288
    grace BOTTOM 252
    ada CONTEXT 588
    Top faces, back row first:
    020T K+1    120T [C+1]  220T M+2
    021T [E+2]  .           221T [N+2]
    012T N      112T W      222T Y+1
    Left faces, upper row first:
    021L G      120L [O+1]  222L O+2
    012L T+1    112L E+2    212L V
    002L N+1    102L E+1    202L QU+1
    Right faces, upper row first:
    222R D    221R X    220R U+1
    212R O    211R O    210R T
    202R S    201R D    200R T
    Deeper: 021R [X+1]
    +1 used once, +2 used twice, [ ] last word.

    """

  static let afterRemovals = """
                     ⢀⡠⠔⠊⠑⠢⢄⡀
                 ⢀⡠⠔⠊⠁  S   ⠈⠑⠢⢄⡀
             ⢀⡠⠔⠊⠁⠈⠑⠢⢄⡀    ⢀⡠⠔⠊⠁⠈⠑⠢⢄⡀
         ⢀⡠⢔⡊⠁   V    ⠈⢑⡢⢔⡊⠁   T    ⠈⢑⡢⢄⡀
     ⢀⡠⠔⠊⠁  ⠈⠑⠢⢄⡀  ⢀⡠⠔⠊⠁  ⠈⠑⠢⢄⡀  ⢀⡠⠔⠊⠁  ⠈⠑⠢⢄⡀
    ⡮⢅⡀   Y    ⢀⡨⠕⠪⢅⡀   W    ⢀⡨⠕⠪⢅⡀   U    ⢀⡨⢵
    ⡇ ⠈⠑⠢⢄⡀⢀⡠⠔⠊⠁ Z  ⠈⠑⠢⢄⡀⢀⡠⠔⠊⠁ X  ⠈⠑⠢⢄⡀⢀⡠⠔⠊⠁ ⢸
    ⡇  Z  ⠈⡗⠢⢄⡀      ⢀⡠⠔⠊⡗⠢⢄⡀      ⢀⡠⠔⠊⡇  W  ⢸
    ⡃      ⡇  ⠈⠑⠢⢄⡠⠔⠊⠁   ⡇  ⠈⠑⠢⢄⡠⠔⠊⠁   ⡇     ⢸
    ⡏⠑⠢⢄⡀  ⡇  A   ⡇ [B·] ⡇  Y   ⡇  Z   ⡇ ⢀⡠⠔⠊⢹
    ⡇   ⠈⠑⠢⣅⡀     ⡇    ⢀⡠⣅⡀     ⡇    ⢀⡠⡕⠊⠁   ⢸
    ⡇ QU   ⡇⠈⠑⠢⢄⡀ ⡇⢀⡠⠔⠊⠁ ⡇⠈⠑⠢⢄⡀ ⡇⢀⡠⠔⠊⠁ ⡇  N  ⢸
    ⡦⢄⡀    ⡇    ⠈⠑⡎⠁     ⡇    ⠈⠑⡎⠁     ⡇   ⢀⡠⢼
    ⡇ ⠈⠑⠢⢄⡀⠇  R   ⡇ [S·] ⠇  P   ⡇ QU   ⢇⡠⠔⠊⠁ ⢸
    ⡇  H  ⠈⡗⠢⢄⡀   ⡇  ⢀⡠⠔⠊⠑⠢⢄⡀   ⡇  ⢀⡠⠔⠊⡇  E  ⢸
    ⢇⡀     ⡇  ⠈⠑⠢⢄⡣⠔⠊⠁ [I·] ⠈⠑⠢⢄⡣⠔⠊⠁   ⡇    ⢀⡸
     ⠈⠑⠢⢄⡀ ⡇  I   ⡏⠑⠢⢄⡀    ⢀⡠⠔⠊⠁⡇  H   ⡇⢀⡠⠔⠊⠁
         ⠈⠑⠣⢄⡀    ⡇   ⠈⠑⠢⡔⠊⠁    ⡇   ⢀⡠⠔⠋⠁
             ⠈⠑⠢⢄⡀⡇  J   ⡇  K   ⣇⡠⠔⠊⠁            · used once
                 ⠈⠑⠢⢄⡀   ⡇  ⢀⡠⠔⠊⠁                : used twice
                     ⠈⠑⠢⢄⡧⠔⠊⠁                    [ ] last word

    """

}
