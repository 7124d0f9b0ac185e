// Lines of the log are written together, some milliseconds late: none is lost by the end of the process, however it ends.

import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { bundle } from '../support/bundle.ts'

const log = await bundle(`export { createLog } from './src/http/server/log.ts'`)

/** What a process that logs and then ends has written to standard error. */
function written(ending: string): string[] {
  const program = `
    import { createLog } from ${JSON.stringify(log)}
    const log = createLog('info')
    let writes = 0
    const { write } = process.stderr
    process.stderr.write = function (...given) { writes++; return write.apply(this, given) }
    process.on('exit', () => write.call(process.stderr, JSON.stringify({ msg: writes }) + '\\n'))
    for (const name of ['one', 'two', 'three']) log.info(name)
    ${ending}`
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' })
  return stderr.split('\n').flatMap((line) => (line.startsWith('{') ? [String(JSON.parse(line).msg)] : []))
}

test.each([
  ['it exits at once', 'process.exit(0)', ['1']],
  ['nothing is left to do', '', ['1']],
  ['an error is not caught', `process.on('uncaughtException', () => process.exit(1)); throw new Error('crash')`, ['1']],
  [
    'a signal comes',
    `process.on('SIGTERM', () => process.exit(0)); process.kill(process.pid, 'SIGTERM'); setTimeout(() => {}, 5_000)`,
    ['1'],
  ],
])('all are there, in one write, when %s', (_, ending, writes) => {
  expect(written(ending)).toEqual(['one', 'two', 'three', ...writes])
})

test('a warning goes out at once, behind those that wait, and what comes later follows by itself', () => {
  const ending = `log.warn('now'); const now = writes; log.info('later'); setTimeout(() => { log.error(String(now)) }, 200)`
  expect(written(ending)).toEqual(['one', 'two', 'three', 'now', 'later', '1', '3'])
})
