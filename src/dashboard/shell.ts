// The HTML page of the dashboard, the same for every path below /dashboard. It only loads the script and the style; the script requests
// the data (web/dashboard). Over plain HTTP the dashboard opens only on this machine. Elsewhere a page names the missing setting, because
// browsers would not return a login cookie.

import type { BuiltFile } from '../http/files/built.ts'
import type { PageAnswer, PageRequest, PageRoute } from '../http/files/pages.ts'
import { routeNotFound } from '../lib/errors.ts'
import { EMPTY_HTML, Html, html } from '../lib/html/html.ts'
import { readAssets } from '../pages/assets.ts'
import { htmlAnswer } from '../pages/headers.ts'
import { originsOf, type PagePolicy, policyOf } from '../pages/policy.ts'
import { ROOT } from '../root.ts'

/** Path below which the files of the dashboard are served. */
export const DASHBOARD_ASSETS_PATH = '/dashboard-assets'

let cachedAssets: ReturnType<typeof readAssets> | null = null

const assets = () => {
  cachedAssets ??= readAssets(new URL('dist/web/dashboard/', ROOT))
  return cachedAssets
}

export const dashboardFiles = (): ReadonlyMap<string, BuiltFile> => assets().files

type Settings = {
  /** Base of the URLs of pictures. */
  readonly publicUrl: string | null
}

export function dashboardPages({ publicUrl }: Settings): readonly PageRoute[] {
  const policy = dashboardPolicy(publicUrl)
  const answer = async (request: PageRequest): Promise<PageAnswer> => {
    if (/^\/dashboard\/api(?:\/|$)/.test(request.path)) throw routeNotFound()
    const problem = request.plainHttpProblem()
    return problem === null ? htmlAnswer(shell(), { policy }) : htmlAnswer(httpsPage(problem), { status: 403, policy })
  }
  return ['/dashboard', '/dashboard/*'].map((path) => ({ method: 'GET', path, answer }))
}

/**
 * Nothing is inline, and no script of ours writes HTML. `blob:` shows a new picture before its upload. It also shows a description in a
 * frame without rights, which inherits this policy. Mails are shown in a frame too (mail-pages.ts).
 */
function dashboardPolicy(publicUrl: string | null): PagePolicy {
  const { content, opener, permissions } = policyOf([], {
    is_sandbox: false,
    images: ['blob:', ...originsOf([publicUrl])],
  })
  return {
    content: content.replace('; form-action', "; frame-src 'self' blob:; form-action"),
    opener,
    permissions: permissions.replace('payment=(self)', 'payment=()'),
  }
}

const renderTag = (name: string, write: (path: string) => Html): Html => {
  const fileName = assets().names.get(name)
  return fileName === undefined ? EMPTY_HTML : write(`${DASHBOARD_ASSETS_PATH}/${fileName}`)
}

/** Files that `main.js` imports before it runs. The page preloads them, so the browser requests all of them at once. */
function findImports(name: string, imports = new Set<string>()): ReadonlySet<string> {
  const text = assets().files.get(name)?.uncompressed.toString('latin1') ?? ''
  for (const [, next = ''] of text.matchAll(/(?:from|import)\s*"\.\/([\w.-]+\.js)"/g))
    if (!imports.has(next)) findImports(next, imports.add(next))
  return imports
}

let preloadTags: Html | null = null

const getPreloads = (): Html => {
  preloadTags ??= new Html(
    [...findImports(assets().names.get('main.js') ?? '')]
      .map((name) => html`<link rel="modulepreload" href="${DASHBOARD_ASSETS_PATH}/${name}">\n`.text)
      .join(''),
  )
  return preloadTags
}

const layout = (title: string, head: Html, body: Html): Html => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no">
<link rel="icon" href="data:,">
<title>${title}</title>
${renderTag('dashboard.css', (path) => html`<link rel="stylesheet" href="${path}">\n`)}${head}</head>
<body>
${body}
</body>
</html>
`

const shell = (): Html =>
  layout(
    'Dashboard · Cartwright',
    html`${renderTag('main.js', (path) => html`<script type="module" src="${path}"></script>\n`)}${getPreloads()}`,
    html`<div id="app"></div>
<noscript><div class="gate"><main class="gate-sheet"><h1>The dashboard needs JavaScript</h1>
<p>Switch it on for this page. The API and the hosted checkout work without.</p></main></div></noscript>`,
  )

const httpsPage = (problem: string): Html =>
  layout(
    'The dashboard opens by HTTPS alone',
    EMPTY_HTML,
    html`<div class="gate"><main class="gate-sheet"><p class="gate-name">Cartwright</p><h1>The dashboard opens by HTTPS alone</h1>
<p>${problem}</p></main></div>`,
  )
