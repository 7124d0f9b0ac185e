// Webhook receivers that harm a sender that waits for them. They run in a separate process, so that their own cost does not slow down the
// measurement. The process sends their addresses to its parent, and ends with it.

import { createServer } from 'node:http'

/** Nothing listens at this address. */
async function refusing() {
  const { url, server } = await serverOf(() => undefined)
  server.close()
  return { url }
}

const hanging = () => serverOf(() => undefined)

const dripping = () =>
  serverOf((_, response) => {
    response.writeHead(200)
    const timer = setInterval(() => response.write('.'), 200)
    response.once('close', () => clearInterval(timer))
  })

const endless = () =>
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
  return { url: `http://127.0.0.1:${server.address().port}/`, server }
}

const opened = await Promise.all([refusing(), hanging(), dripping(), endless()])
process.send(opened.map(({ url }) => url))
process.once('disconnect', () => process.exit())
