/// The content of the servers' configuration files.
struct ServerConfiguration {
  var ports: ServerPorts
  var passwords: ServerPasswords
  var paths: ServerPaths
  var tls: Bool
  /// The member of PostgreSQL that is the primary.
  var primary: Int
  /// Whether commits wait for the standby.
  var isSynchronous: Bool
  /// The mark of PostgreSQL's processes of this folder.
  var clusterName: String
  /// The root of the servers' programs; empty for the machine's own.
  var root = ""

  /// The application name and the replication slot of the standby.
  static let standby = "cubist_standby"

  /// `postgresql.auto.conf` of a member.
  func postgres(_ member: Int) -> String {
    var lines = [
      "listen_addresses = '127.0.0.1'",
      "port = \(ports[.postgres(member)])",
      // A socket's path may have 107 bytes.
      "unix_socket_directories = ''",
      "cluster_name = '\(clusterName)-\(member)'",
      "max_connections = 300",
      "shared_buffers = 256MB",
      "max_wal_size = 2GB",
      "checkpoint_timeout = 15min",
      "wal_compression = lz4",
      "synchronous_commit = on",
      "fsync = on",
      "timezone = UTC",
      "log_timezone = UTC",
      "log_line_prefix = '%m [%p] %d '",
    ]
    if tls {
      lines += [
        "ssl = on",
        "ssl_cert_file = \(ServerConfiguration.quoted("\(paths.tls)/server.pem"))",
        "ssl_key_file = \(ServerConfiguration.quoted("\(paths.tls)/server.key"))",
      ]
    }
    if ports.hasStandby {
      lines.append("max_slot_wal_keep_size = 8GB")
      if member != primary {
        lines += [
          "primary_conninfo = 'host=127.0.0.1 port=\(ports[.postgres(primary)]) user=cubist "
            + "password=\(passwords.postgres) sslmode=disable "
            + "application_name=\(ServerConfiguration.standby)'",
          "primary_slot_name = '\(ServerConfiguration.standby)'",
          "wal_retrieve_retry_interval = 200ms",
        ]
      } else if isSynchronous {
        lines.append("synchronous_standby_names = '\(ServerConfiguration.standby)'")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// A text in a configuration file of PostgreSQL.
  static func quoted(_ text: String) -> String {
    "'\(text.replacing("\\", with: #"\\"#).replacing("'", with: "''"))'"
  }

  func nodeName(_ node: Int) -> String { "cubist-\(ports[.amqp(node)])@localhost" }

  /// `rabbitmq.conf` of a node.
  func rabbitmq(_ node: Int) -> String {
    var lines = [
      "listeners.tcp.1 = 127.0.0.1:\(ports[.amqp(node)])",
      "management.tcp.ip = 127.0.0.1",
      "management.tcp.port = \(ports[.management(node)])",
      "default_user = cubist",
      "default_pass = \(passwords.rabbitmq)",
      // The longest that a client can have. The service's programs ask for ten seconds.
      "heartbeat = 60",
      // A header table must fit into one frame. Nested thousands deep, it would stall a quorum
      // queue.
      "frame_max = 16384",
      // Roles and players use one channel a connection.
      "channel_max = 8",
      "max_message_size = 131072",
      "disk_free_limit.absolute = \(ServerWork.diskFreeLimit)",
      "vm_memory_high_watermark.relative = \(ServerWork.memoryWatermark)",
      "consumer_timeout = 1800000",
      "log.file = rabbit.log",
      // A client that connects again and again can fill the log.
      "log.file.rotation.size = 10485760",
      "log.file.rotation.count = 5",
      "log.connection.level = error",
      "log.console = false",
      // Tests ask the management API about the latest events.
      "collect_statistics_interval = 1000",
    ]
    if ports.nodes > 1 {
      lines += [
        "cluster_partition_handling = pause_minority",
        // Otherwise the node that setup was connected to would lead every queue.
        "queue_leader_locator = balanced",
      ]
    }
    if node != 1 {
      lines += [
        "cluster_formation.peer_discovery_backend = classic_config",
        "cluster_formation.classic_config.nodes.1 = \(nodeName(1))",
      ]
    }
    if tls {
      lines += [
        "listeners.ssl.1 = 127.0.0.1:\(ports[.amqps(node)])",
        "ssl_options.cacertfile = \(paths.tls)/ca.pem",
        "ssl_options.certfile = \(paths.tls)/server.pem",
        "ssl_options.keyfile = \(paths.tls)/server.key",
        "ssl_options.verify = verify_none",
        "ssl_options.fail_if_no_peer_cert = false",
        "management.ssl.ip = 127.0.0.1",
        "management.ssl.port = \(ports[.managements(node)])",
        "management.ssl.cacertfile = \(paths.tls)/ca.pem",
        "management.ssl.certfile = \(paths.tls)/server.pem",
        "management.ssl.keyfile = \(paths.tls)/server.key",
      ]
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The environment of Erlang's programs. It has nothing of ours: RABBITMQ_* and ERL_* must not
  /// leak in.
  func erlangVariables(_ node: Int) -> [String: String] {
    [
      "PATH": (root.isEmpty ? "" : "\(root)/usr/bin:") + "/usr/local/bin:/usr/bin:/bin",
      "LANG": "C.UTF-8", "HOME": paths.home,
      "ERL_EPMD_ADDRESS": "127.0.0.1", "ERL_EPMD_PORT": "\(ports[.epmd])",
      "ERL_CRASH_DUMP": "\(paths.rabbitmq(node))/log/erl_crash.dump",
      "RABBITMQ_NODENAME": nodeName(node), "RABBITMQ_CONF_ENV_FILE": "/dev/null",
    ]
  }

  /// The environment of a node of RabbitMQ.
  func rabbitmqVariables(_ node: Int, schedulers: Int) -> [String: String] {
    let folder = paths.rabbitmq(node)
    let local = [
      "RABBITMQ_DIST_PORT": "\(ports[.distribution(node)])",
      "RABBITMQ_CONFIG_FILE": "\(folder)/rabbitmq.conf",
      "RABBITMQ_ADVANCED_CONFIG_FILE": "\(folder)/advanced.config",
      "RABBITMQ_ENABLED_PLUGINS_FILE": "\(folder)/enabled_plugins",
      "RABBITMQ_MNESIA_BASE": "\(folder)/mnesia", "RABBITMQ_LOG_BASE": "\(folder)/log",
      "RABBITMQ_PID_FILE": "\(folder)/rabbitmq.pid",
      // With it the script becomes the Erlang machine instead of its parent; -noinput takes the
      // shell away again. Busy waiting is off already.
      "RABBITMQ_ALLOW_INPUT": "1", "RABBITMQ_SERVER_START_ARGS": "-noinput",
      "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS":
        "+S \(schedulers):\(schedulers) +SDcpu \(schedulers):\(schedulers) +SDio 4 "
        + "-kernel inet_dist_use_interface {127,0,0,1}",
    ]
    return erlangVariables(node).merging(local) { $1 }
  }
}
