// Receivers of webhooks that harm whoever waits for them: a process of their own, so that what they cost themselves does not hold up the one that
// measures. It writes their addresses on one line, and ends with its parent.

import { createServer } from 'node:http'

/** Nobody listens there. */
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
