internal import Hummingbird
import NIOCore
import NIOHTTP1
import NIOPosix
