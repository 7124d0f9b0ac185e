// Checks that the files of changes and the registry agree: a change's date stands in its file's name and in index.ts,
// and a change that is not listed, or listed under another date, would be one that quietly never applies as written.

import type { Change, Version } from '../../src/versions/change.ts'

/** An export of a file in versions/changes. */
export type WrittenChange = { file: string; name: string; change: Change }

export const isChangeFileName = (file: string) => /^\d{4}-\d{2}-\d{2}\.ts$/.test(file)

export function registrationProblems(written: readonly WrittenChange[], versions: readonly Version[]): string[] {
  const listed = versions.flatMap(({ date, changes }) => changes.map((change) => ({ date, change })))
  const problems = [...new Set(written.map(({ file }) => file))]
    .filter((file) => !isChangeFileName(file))
    .map((file) => `${file}: name it <date>.ts, after the version that brought its changes`)
  for (const { file, name, change } of written) {
    const where = `${file}, ${name}`
    const under = listed.filter((each) => each.change === change).map((each) => each.date)
    if (under.length === 0) problems.push(`${where}: import it in src/versions/index.ts and list it under its date`)
    else if (under.length > 1) problems.push(`${where}: list it once, not under ${under.join(' and ')}`)
    else if (file !== `${under[0]}.ts`) problems.push(`${where}: it is listed under ${under[0]}`)
  }
  for (const { date, change } of listed)
    if (!written.some((each) => each.change === change))
      problems.push(`${date} lists a change that no file of its own exports: ${change.summary}`)
  return problems
}
