// Receivers of webhooks that harm whoever waits for them.

import { createServer } from 'node:http'

/** Nobody listens there. */
export async function refusing() {
  const { url, close } = await serverOf(() => undefined)
  close()
  return { url, close: () => undefined }
}

export const hanging = () => serverOf(() => undefined)

export const dripping = () =>
  serverOf((_, response) => {
    response.writeHead(200)
    const timer = setInterval(() => response.write('.'), 200)
    response.once('close', () => clearInterval(timer))
  })

export const endless = () =>
  serverOf((_, response) => {
    response.writeHead(200)
    const write = () => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536)));
    }
    response.on('drain', write)
    write()
  })

async function serverOf(answer) {
  const server = createServer(answer)
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${server.address().port}/`, close }
}
