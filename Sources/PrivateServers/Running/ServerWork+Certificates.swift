extension ServerWork {
  /// Each handshake needs a signature. On this curve it takes a tenth of the time of one by RSA.
  private static let newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]

  /// Makes a certificate authority and a certificate for localhost.
  func makeCertificates() throws(ServersError) {
    progress("making a certificate authority and a certificate for localhost")
    let tls = paths.tls
    try user.remove(tls)
    try user.makeFolders(tls)
    try openssl(
      ["req", "-x509"] + Self.newKey + [
        "-nodes", "-days", "3650", "-subj", "/CN=Cubist test authority", "-addext",
        "basicConstraints=critical,CA:TRUE", "-addext", "keyUsage=critical,keyCertSign,cRLSign",
        "-keyout", "\(tls)/ca.key", "-out", "\(tls)/ca.pem",
      ])
    try openssl(
      ["req"] + Self.newKey + [
        "-nodes", "-subj", "/CN=localhost", "-keyout", "\(tls)/server.key", "-out",
        "\(tls)/server.csr",
      ])
    try user.write(
      "subjectAltName=DNS:localhost,IP:127.0.0.1\nextendedKeyUsage=serverAuth\n",
      to: "\(tls)/server.ext")
    try openssl([
      "x509", "-req", "-days", "3650", "-in", "\(tls)/server.csr", "-CA", "\(tls)/ca.pem",
      "-CAkey", "\(tls)/ca.key", "-CAcreateserial", "-extfile", "\(tls)/server.ext", "-out",
      "\(tls)/server.pem",
    ])
    try user.write("yes\n", to: "\(tls)/complete")
  }

  private func openssl(_ words: [String]) throws(ServersError) {
    let log = paths.toolLog("openssl")
    let script = #"umask 077; exec "$@""#
    let status = try user.run(
      ["/bin/sh", "-c", script, "sh", ServerPrograms.openssl] + words, log: log)
    guard status == 0 else { throw failure("openssl", log: log, ports: []) }
  }
}
