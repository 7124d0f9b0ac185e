// The processes of a measurement: servers that listen, and the load that asks them.

import { fork } from 'node:child_process'

/** How long a round is, without its warm-up. */
export const SECONDS = Number(process.env.BENCH_SECONDS ?? 4)

/** `program`: the server.js of another build. */
export function startServer(kind, options, program = new URL('server.js', import.meta.url)) {
  const settings = JSON.stringify({ kind, ...options })
  // Memory is read after a collection: what is garbage by then is not what the server needs.
  const child = fork(program, [settings], { execArgv: ['--expose-gc'] })
  const answer = () =>
    new Promise((resolve, reject) => {
      child.once('message', resolve)
      child.once('exit', (code) => reject(new Error(`The server ${kind} ended with ${code}.`)))
    })
  return answer().then(({ port }) => ({
    port,
    memory: () => {
      child.send('memory')
      return answer()
    },
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', resolve)
        child.kill('SIGTERM')
      }),
  }))
}

/** In a process of its own: on the server's own thread it would measure itself. */
export function load(port, scenario, { warmUpMs = 1_000 } = {}) {
  const child = fork(new URL('load.js', import.meta.url))
  child.send({ port, scenario, seconds: SECONDS, warmUpMs })
  return new Promise((resolve, reject) => {
    child.once('message', (figures) =>
      figures.error ? reject(new Error(`${scenario.name}: ${figures.error}`)) : resolve(figures),
    )
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`The load ended with ${code}.`)))
  })
}
