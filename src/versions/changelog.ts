// The registry for readers: the news between two versions, and the page docs/versions.md.

import type { Version } from './change.ts'

/** News of one version. */
export type VersionNews = { readonly date: string; readonly summaries: readonly string[] }

/**
 * News for a client that moves from one version to a newer one, oldest first. `versions` is newest first, as in index.ts. Versions without
 * changes are left out.
 */
export const newsBetween = (versions: readonly Version[], older: string, newer: string): readonly VersionNews[] =>
  versions
    .filter(({ date, changes }) => date > older && date <= newer && changes.length > 0)
    .map(({ date, changes }) => ({ date, summaries: changes.map(({ summary }) => summary) }))
    .reverse()

/** The page docs/versions.md, in Markdown. */
export function versionsPage(versions: readonly Version[]): string {
  const [head] = versions
  const initial = versions.at(-1)
  const lines = [
    '# Versions of the API',
    '',
    `<!-- Written by \`npm run versions\` from the change files in src/versions; a test compares the two. -->`,
    '',
    `The API has ${versions.length} versions, and all of them are served at once. A request is answered in the version that its header`,
    '`Service-Version` (or `Chec-Version`) names, else in the one set for the merchant: `version` of `PUT /v1/merchants`, or',
    '`cartwright merchant version`. The reply names the version used under both headers. Webhooks are sent in the version they were made in.',
    'The SDK `@chec/commerce.js` that names no version, where the setting is the newest one, is shown the newest body with every field beside it',
    'that older versions had, and may send the older names.',
    '',
    `The newest is **${head?.date}**, which new merchants get, and the initial one **${initial?.date}**. Below, each version says what it`,
    'changed; a storefront written for a version sees nothing of what is listed above it. `GET /v1/versions` says the same, with how many of the',
    "shop's requests of the last seven days were answered in each. The setting can be raised and lowered again at any time.",
    '',
  ]
  for (const { date, changes } of versions) {
    lines.push(`## ${date}`, '')
    if (changes.length > 0) lines.push(...changes.map(({ summary }) => `- ${summary}`))
    else lines.push(date === initial?.date ? 'The initial version.' : 'No change.')
    lines.push('')
  }
  return `${lines.join('\n').trimEnd()}\n`
}
