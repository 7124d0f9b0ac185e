// Listening sockets of a service with several HTTP processes. Node's cluster module opens each socket in the primary and closes it when the
// last HTTP process ends. Until another one ran, connections would be refused. So the primary keeps its sockets until the service stops.
// Without an HTTP process it accepts connections and hands them to the next one. The cluster module opens sockets only by
// `net.Server.listen`.

import net from 'node:net'

/** An accepted connection that no HTTP process has received yet. */
type Connection = { close(): void }

/** The part of Node's socket handle that the cluster module uses. */
type Handle = { onconnection: (error: number, connection?: Connection) => void; close(): void }

type Listener = {
  /** Call it when a connection is sent to an HTTP process: from then on it goes to no other. */
  sent(connection: Connection): void
  /** Stops keeping sockets: each one closes when its last HTTP process ends. */
  release(): void
}

/** The usual length of a system's own queue. Connections above it are closed, so that a flood does not use up the file descriptors. */
const MAX_WAITING = 511

/** Call it in the primary before it starts an HTTP process. */
export function keepListening(): Listener {
  const { listen } = net.Server.prototype
  const sockets = new Map<string, KeptSocket>()
  const closers = new WeakMap<Connection, Connection['close']>()
  let isReleased = false

  type KeptSocket = { handle: Handle; waiting: Connection[]; isServed: boolean; close(): void }

  function keepSocket(handle: Handle): KeptSocket {
    const socket: KeptSocket = { handle, waiting: [], isServed: true, close: handle.close.bind(handle) }
    // The cluster module calls this when no HTTP process is left.
    handle.close = () => {
      socket.isServed = false
      if (isReleased) return socket.close()
      handle.onconnection = (_, connection) => connection && enqueue(socket, connection)
    }
    return socket
  }

  function enqueue({ waiting }: KeptSocket, connection: Connection) {
    if (waiting.length < MAX_WAITING) waiting.push(connection)
    else connection.close()
  }

  /**
   * When the last process ends, the cluster module closes connections that it has not sent to any process. Here they wait for the next one.
   */
  function serve(socket: KeptSocket) {
    const { handle } = socket
    const distribute = handle.onconnection
    socket.isServed = true
    handle.onconnection = (error, connection) => {
      if (connection !== undefined) {
        const close = connection.close
        closers.set(connection, close)
        connection.close = () => {
          connection.close = close
          if (isReleased) connection.close()
          else enqueue(socket, connection)
        }
      }
      distribute(error, connection)
    }
    for (const connection of socket.waiting.splice(0)) handle.onconnection(0, connection)
  }

  net.Server.prototype.listen = function (this: net.Server & { _handle?: Handle }, ...args: unknown[]) {
    const open = listen as (...args: unknown[]) => net.Server
    const name = readAddress(args[0])
    if (name === null) return open.apply(this, args)
    const keptSocket = sockets.get(name)
    this.once('listening', () => {
      const socket = keptSocket ?? (this._handle && keepSocket(this._handle))
      if (socket === undefined) return
      sockets.set(name, socket)
      // Runs after the cluster module, which takes over the connections in the same event.
      process.nextTick(serve, socket)
    })
    return keptSocket === undefined ? open.apply(this, args) : open.call(this, { _handle: keptSocket.handle })
  } as typeof listen

  return {
    sent(connection) {
      const close = closers.get(connection)
      if (close !== undefined) connection.close = close
    },
    release() {
      isReleased = true
      net.Server.prototype.listen = listen
      for (const socket of sockets.values()) {
        for (const connection of socket.waiting.splice(0)) connection.close()
        if (!socket.isServed) socket.close()
      }
    },
  }
}

/** Null unless the options are an address with a port. */
function readAddress(options: unknown): string | null {
  const { host, port } = (typeof options === 'object' && options !== null ? options : {}) as net.ListenOptions
  return port === undefined ? null : `${host}:${port}`
}
