/// Words of three and four letters that everybody knows.
enum CommonWords {
  /// In capitals.
  static let all = Set(text.uppercased().split(separator: " ").map { String($0) })

  private static let text = """
    able act add age ago aid aim air all also and ant any ape apt arc are area arm army art ash \
    ask ate away baby back bad bag bake ball ban band bank bar bare barn base bat bath bay bead \
    beam bean bear beat bed bee beef been beg bell belt bend best bet bid big bike bill bin bird \
    bit bite blow blue boat body bold bone book boot born boss both bow bowl box boy bud bug bulb \
    bun burn bus bush busy but buy cab cage cake call calm came camp can cap car card care cart \
    case cash cat cave cell chat chin city clay clip club coal coat code coin cold come cook cool \
    copy corn cost cow crab crop cry cub cube cup cut dad dam dare dark data date dawn day days \
    dead deal dear deep deer den desk dial did die diet dig dip dirt dish does dog done door dot \
    down draw drop drum dry duck due dug dull dust duty each ear earn ease east easy eat edge egg \
    ego elf else end even ever evil exit eye face fact fade fail fair fall fame fan far farm fast \
    fat fear fed fee feed feel feet fell felt few fig file fill film fin find fine fire firm fish \
    fit five fix flag flat flow fly fog fold folk food foot for fork form four fox free frog from \
    fuel full fun fur game gap gas gate gave get gift girl give glad glue goal goat god gold golf \
    gone good got gray grew grow gum gun gut guy had hair half hall ham hand hang hard harm has \
    hat hate have hay head heal hear heat heel held help hen her here hero hey hid hide high hill \
    him hint hip hire his hit hold hole home hook hope horn host hot hour how hug huge hunt hurt \
    hut ice idea ill inch ink inn into iron item its jam jar jaw jet job join joke joy jump just \
    keen keep kept key kick kid kind king kiss kit knee knew knot know lab lack lady lake lamp \
    land lane lap last late law lay lead leaf lean led left leg less let lid lie life lift like \
    line link lion lip list lit live load loan lock log lone long look lose loss lost lot loud \
    love low luck lung mad made mail main make male man many map mark mask mass mat may meal mean \
    meat meet melt men menu met mild mile milk mind mine miss mix mob mode mom mood moon more most \
    move much mud mug must nail name near neat neck need nest net new news next nice nine nod none \
    noon nor nose not note now nut oak oath odd off oil old once one only open our out oven over \
    owe owl own pace pack pad page paid pain pair pale palm pan park part pass past pat path paw \
    pay pea peak pear pen pet pick pie pig pile pin pine pink pipe pit plan play plot plug plus \
    poem poet pole pond pool poor port pose post pot pour pray pull pump pure push put race rail \
    rain ran rank rare rat rate raw read real red rent rest rib rice rich rid ride ring rip rise \
    risk road rob rock rod role roll roof room root rope rose rot row rub rug rule run rush sad \
    safe said sail salt same sand sat save saw say sea seat see seed seek seem seen self sell send \
    set sew she ship shoe shop shot show shy sick side sign silk sin sing sink sip sir sit site \
    six size skin sky slip slow snow soap sock soft soil sold some son song soon sort soul soup \
    spin spot spy star stay stem step stop such suit sun sure swim tab tag tail take tale talk \
    tall tan tank tap tape tar task tax tea team tear tell ten tent term test than that the them \
    then they thin this tide tidy tie time tin tiny tip tire toe ton tone too took tool top torn \
    tour town toy trap tree trip true try tub tube tune turn twin two type unit upon use used van \
    vast very vet vote wage wait wake walk wall want war warm warn was wash wave wax way weak wear \
    web wed week well went were west wet what when who why wide wife wig wild will win wind wine \
    wing wire wise wish wit with wolf won wood wool word wore work worn yard yarn year yes yet you \
    your zero zip zone zoo
    """
}
