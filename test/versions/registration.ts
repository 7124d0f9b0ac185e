// Checks that change files and the registry agree: a change's date stands in its file's name and in index.ts,
// and a file that is not listed, or listed under another date, would be a change that quietly never applies as written.

import type { Change, Version } from '../../src/versions/change.ts'

export type ChangeFile = { name: string; change: Change }

export const isChangeFileName = (name: string) => /^\d{4}-\d{2}-\d{2}-[a-z0-9]+(-[a-z0-9]+)*\.ts$/.test(name)

/** A name that begins with a digit was meant to be a change file. */
export const isMeantAsChangeFile = (name: string) => /^\d.*\.ts$/.test(name)

export function registrationProblems(files: readonly ChangeFile[], versions: readonly Version[]): string[] {
  const listed = versions.flatMap(({ date, changes }) => changes.map((change) => ({ date, change })))
  const problems: string[] = []
  for (const { name, change } of files) {
    if (!isChangeFileName(name)) problems.push(`${name}: name it <date>-<what-changed>.ts`)
    const under = listed.filter((each) => each.change === change).map((each) => each.date)
    if (under.length === 0) problems.push(`${name}: import it in src/versions/index.ts and list it under its date`)
    else if (under.length > 1) problems.push(`${name}: list it once, not under ${under.join(' and ')}`)
    else if (!name.startsWith(`${under[0]}-`)) problems.push(`${name}: it is listed under ${under[0]}`)
  }
  for (const { date, change } of listed)
    if (!files.some((file) => file.change === change))
      problems.push(`${date} lists a change without a file of its own: ${change.summary}`)
  return problems
}
