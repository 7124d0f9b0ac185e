// The page of the dashboard: the same for every address below /dashboard, and nothing but what loads its script and its style. What it shows, the
// script asks for (web/dashboard). Over plain HTTP it opens on this machine alone; elsewhere a page says which setting is missing, in place of
// a login that no cookie would ever come back from.

import type { BuiltFile } from '../http/files/built.ts'
import type { Page, PageAnswer, PageRequest } from '../http/files/pages.ts'
import { routeNotFound } from '../lib/errors.ts'
import { Html, html, NONE } from '../lib/html/html.ts'
import { readAssets } from '../pages/assets.ts'
import { htmlAnswer } from '../pages/headers.ts'
import { originsOf, type PagePolicy, policyOf } from '../pages/policy.ts'
import { ROOT } from '../root.ts'

/** Where the files of the dashboard are served. */
export const DASHBOARD_ASSETS_PATH = '/dashboard-assets'

let kept: ReturnType<typeof readAssets> | null = null

const assets = () => {
  kept ??= readAssets(new URL('dist/web/dashboard/', ROOT))
  return kept
}

export const dashboardFiles = (): ReadonlyMap<string, BuiltFile> => assets().files

type Settings = {
  /** Pictures have addresses below it. */
  readonly publicUrl: string | null
}

export function dashboardPages({ publicUrl }: Settings): readonly Page[] {
  const policy = dashboardPolicy(publicUrl)
  const answer = async (request: PageRequest): Promise<PageAnswer> => {
    if (/^\/dashboard\/api(?:\/|$)/.test(request.path)) throw routeNotFound()
    const problem = request.plainHttpProblem()
    return problem === null ? htmlAnswer(shell(), { policy }) : htmlAnswer(needsHttps(problem), { status: 403, policy })
  }
  return ['/dashboard', '/dashboard/*'].map((path) => ({ method: 'GET', path, answer }))
}

/**
 * Nothing is inline, and no script of ours writes HTML. A new picture is shown before it is sent (`blob:`), and a description as it looks: in a frame
 * without any rights, of a file that the page has made and that inherits this policy. A mail is shown in a frame too (mail-pages.ts).
 */
function dashboardPolicy(publicUrl: string | null): PagePolicy {
  const { content, opener, permissions } = policyOf([], {
    isSandbox: false,
    images: ['blob:', ...originsOf([publicUrl])],
  })
  return {
    content: content.replace('; form-action', "; frame-src 'self' blob:; form-action"),
    opener,
    permissions: permissions.replace('payment=(self)', 'payment=()'),
  }
}

const link = (name: string, write: (path: string) => Html): Html => {
  const built = assets().names.get(name)
  return built === undefined ? NONE : write(`${DASHBOARD_ASSETS_PATH}/${built}`)
}

/** What `main.js` needs before it runs, so that a browser asks for all of it at once and not for one after the other. */
function neededBy(name: string, found = new Set<string>()): ReadonlySet<string> {
  const text = assets().files.get(name)?.plain.toString('latin1') ?? ''
  for (const [, next = ''] of text.matchAll(/(?:from|import)\s*"\.\/([\w.-]+\.js)"/g))
    if (!found.has(next)) neededBy(next, found.add(next))
  return found
}

let preloaded: Html | null = null

const preloads = (): Html => {
  preloaded ??= new Html(
    [...neededBy(assets().names.get('main.js') ?? '')]
      .map((name) => html`<link rel="modulepreload" href="${DASHBOARD_ASSETS_PATH}/${name}">\n`.text)
      .join(''),
  )
  return preloaded
}

const page = (title: string, head: Html, body: Html): Html => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no">
<link rel="icon" href="data:,">
<title>${title}</title>
${link('dashboard.css', (path) => html`<link rel="stylesheet" href="${path}">\n`)}${head}</head>
<body>
${body}
</body>
</html>
`

const shell = (): Html =>
  page(
    'Dashboard · Cartwright',
    html`${link('main.js', (path) => html`<script type="module" src="${path}"></script>\n`)}${preloads()}`,
    html`<div id="app"></div>
<noscript><div class="gate"><main class="gate-sheet"><h1>The dashboard needs JavaScript</h1>
<p>Switch it on for this page. The API and the hosted checkout work without.</p></main></div></noscript>`,
  )

const needsHttps = (problem: string): Html =>
  page(
    'The dashboard opens by HTTPS alone',
    NONE,
    html`<div class="gate"><main class="gate-sheet"><p class="gate-name">Cartwright</p><h1>The dashboard opens by HTTPS alone</h1>
<p>${problem}</p></main></div>`,
  )
