// The listening sockets of a service with several HTTP processes. Node's cluster module opens each one in the primary, and closes it when the last
// HTTP process has gone: until another one runs, connections would be refused. So the primary keeps its sockets until the service stops. It
// accepts what arrives without any HTTP process, and hands it to the next one. The cluster module opens sockets by `net.Server.listen` only.

import net from 'node:net'

/** An accepted connection, which an HTTP process has not got yet. */
type Connection = { close(): void }

/** The part of Node's socket handle that the cluster module uses. */
type Handle = { onconnection: (error: number, connection?: Connection) => void; close(): void }

type Listener = {
  /** To be called when a connection is sent to an HTTP process: from then on it is not given to another one. */
  sent(connection: Connection): void
  /** Stops keeping: each socket closes when its last HTTP process has gone. */
  release(): void
}

/** The usual length of a system's own queue. Connections above it are closed, so that a flood does not use up the file descriptors. */
const MOST_WAITING = 511

/** In the primary, before it starts an HTTP process. */
export function keepListening(): Listener {
  const { listen } = net.Server.prototype
  const sockets = new Map<string, KeptSocket>()
  const closers = new WeakMap<Connection, Connection['close']>()
  let isReleased = false

  type KeptSocket = { handle: Handle; waiting: Connection[]; isServed: boolean; close(): void }

  function keep(handle: Handle): KeptSocket {
    const socket: KeptSocket = { handle, waiting: [], isServed: true, close: handle.close.bind(handle) }
    // The cluster module calls it when no HTTP process is left.
    handle.close = () => {
      socket.isServed = false
      if (isReleased) return socket.close()
      handle.onconnection = (_, connection) => connection && wait(socket, connection)
    }
    return socket
  }

  function wait({ waiting }: KeptSocket, connection: Connection) {
    if (waiting.length < MOST_WAITING) waiting.push(connection)
    else connection.close()
  }

  /** The cluster module closes the connections that it has not sent to anybody when the last process has gone. They wait for the next one. */
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
          else wait(socket, connection)
        }
      }
      distribute(error, connection)
    }
    for (const connection of socket.waiting.splice(0)) handle.onconnection(0, connection)
  }

  net.Server.prototype.listen = function (this: net.Server & { _handle?: Handle }, ...args: unknown[]) {
    const open = listen as (...args: unknown[]) => net.Server
    const name = addressIn(args[0])
    if (name === null) return open.apply(this, args)
    const kept = sockets.get(name)
    this.once('listening', () => {
      const socket = kept ?? (this._handle && keep(this._handle))
      if (socket === undefined) return
      sockets.set(name, socket)
      // Behind the cluster module, which takes the connections over in the same event.
      process.nextTick(serve, socket)
    })
    return kept === undefined ? open.apply(this, args) : open.call(this, { _handle: kept.handle })
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

/** Null for what is not an address with a port. */
function addressIn(options: unknown): string | null {
  const { host, port } = (typeof options === 'object' && options !== null ? options : {}) as net.ListenOptions
  return port === undefined ? null : `${host}:${port}`
}
