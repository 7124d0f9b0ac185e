// Connections on their way to an HTTP process. Node's cluster accepts each in the primary, sends it over, and closes its own end when the
// process has said that it has it. A process that is killed says nothing: the primary would keep its end open, and the client would wait
// for an answer for ever. So the primary's ends are remembered here until they are acknowledged, and closed when the process has gone.

import type { Worker } from 'node:cluster'

/** What the cluster module and its processes tell each other, as far as it is needed here. */
type ClusterMessage = { cmd?: unknown; act?: unknown; seq?: unknown; ack?: unknown }
type Connection = { close(): void }

const isOfCluster = (message: unknown): message is ClusterMessage =>
  typeof message === 'object' && message !== null && (message as ClusterMessage).cmd === 'NODE_CLUSTER'

const isConnection = (handle: unknown): handle is Connection =>
  typeof handle === 'object' && handle !== null && typeof (handle as Connection).close === 'function'

/** To be called when the process has been forked. */
export function closeWhatItLeaves(worker: Worker): void {
  const { process: child } = worker
  const underWay = new Map<unknown, Connection>()
  const send = child.send.bind(child) as (...args: unknown[]) => boolean
  child.send = (...args: unknown[]) => {
    const [message, handle] = args
    if (isOfCluster(message) && message.act === 'newconn' && isConnection(handle)) underWay.set(message.seq, handle)
    return send(...args)
  }
  child.on('internalMessage', (message: unknown) => {
    if (isOfCluster(message) && message.ack !== undefined) underWay.delete(message.ack)
  })
  child.once('exit', () => {
    for (const connection of underWay.values()) connection.close()
    underWay.clear()
  })
}
