// Command-line options of the bench.

import { parseArgs } from 'node:util'

/** @param {{ rounds: number, seconds: number, clients?: number }} usual */
export function readOptions(usual) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      only: { type: 'string' },
      rounds: { type: 'string', default: String(usual.rounds) },
      seconds: { type: 'string', default: String(usual.seconds) },
      rows: { type: 'string', default: '100000' },
      clients: { type: 'string', default: String(usual.clients ?? 32) },
      'as-in-life': { type: 'boolean', default: false },
      analysed: { type: 'boolean', default: false },
      save: { type: 'boolean', default: false },
    },
  })
  const number = (name, least) => {
    const value = Number(values[name])
    if (value >= least) return value
    throw new Error(`--${name} must be a number of at least ${least}; it is "${values[name]}".`)
  }
  return {
    only: values.only,
    rounds: number('rounds', 2),
    seconds: number('seconds', 0.1),
    rows: number('rows', 100),
    clients: number('clients', 1),
    isAsInLife: values['as-in-life'],
    isAnalysed: values.analysed,
    isToSave: values.save,
    positionals,
  }
}

/** Returns the scenarios that the `--only` option selects. */
export function chosen(all, only) {
  const wanted = only === undefined ? all : all.filter(({ name }) => name.includes(only))
  if (wanted.length === 0)
    throw new Error(`There is no scenario with "${only}" in its name: ${all.map(({ name }) => name).join(', ')}.`)
  return wanted
}
