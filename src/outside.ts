// Serves everything outside /v1: health, the API description, files, provider messages and pages. Most routes need no key; each one checks
// access itself.

import { fileFinder } from './api/assets/file.ts'
import { takeUpload } from './api/assets/upload.ts'
import { createDownloadFinder, DOWNLOAD_PATH } from './api/fulfillment/download.ts'
import { MESSAGE_PATH } from './api/payment-methods/payment-method.ts'
import { createMessageReceiver } from './api/provider-messages/message.ts'
import { SDK_PATHS } from './compat/sdk-file.ts'
import { dashboardRoutes } from './dashboard/routes.ts'
import { DASHBOARD_ASSETS_PATH, dashboardFiles, dashboardPages } from './dashboard/shell.ts'
import { withRequestSignal } from './db/db.ts'
import { storefrontPages } from './demo/storefront.ts'
import type { GatewayPorts } from './gateways/gateway.ts'
import { testGatewayPages } from './gateways/sandbox/page.ts'
import type { Authenticate } from './http/endpoint/caller.ts'
import type { Services } from './http/endpoint/endpoint.ts'
import { serveBuiltFiles } from './http/files/built.ts'
import { serveDownloads } from './http/files/downloads.ts'
import { serveFiles } from './http/files/files.ts'
import { serveMessages } from './http/files/messages.ts'
import { servePages } from './http/files/pages.ts'
import { serveScript } from './http/files/script.ts'
import { serveUploads } from './http/files/uploads.ts'
import { serveAbout, serveHealth } from './http/server/health.ts'
import type { Server } from './http/server/server.ts'
import { serveDashboardRoutes } from './http/session/routes.ts'
import { ASSETS_PATH, assetFiles } from './pages/assets.ts'
import { checkoutPages } from './pages/checkout/routes.ts'

type NonApiOptions = {
  readonly services: Services
  readonly ports: GatewayPorts
  /** The script that old storefronts load. */
  readonly sdkFile: string
  /** The demo shop's public sandbox key; null where there is none. */
  readonly findDemoKey: () => Promise<string | null>
  readonly authenticate: Authenticate
  /** The newest version of the API. */
  readonly version: string
  readonly metrics: Parameters<typeof serveHealth>[1]
  readonly isReady: Parameters<typeof serveHealth>[2]
  readonly openApi: Parameters<typeof serveAbout>[1]
}

export function serveNonApiRoutes(server: Server, options: NonApiOptions) {
  const { services, ports, findDemoKey, authenticate, version } = options
  serveHealth(server, options.metrics, options.isReady)
  serveAbout(server, options.openApi)
  serveFiles(server, fileFinder(services))
  serveDownloads(server, { path: DOWNLOAD_PATH, find: createDownloadFinder(services) })
  serveUploads(server, {
    thing: 'asset',
    take: (address, bytes, size, signal) =>
      takeUpload({ ...services, db: withRequestSignal(services.db, signal) }, address, bytes, size),
  })
  const takeMessage = createMessageReceiver(services)
  serveMessages(server, {
    path: MESSAGE_PATH,
    thing: 'gateway',
    take: ({ id: methodId, ...message }) => takeMessage({ ...message, methodId }),
  })
  serveScript(server, { paths: SDK_PATHS, text: options.sdkFile })
  servePages(server, testGatewayPages(ports))
  serveBuiltFiles(server, ASSETS_PATH, assetFiles())
  servePages(server, checkoutPages(services))
  serveDashboardRoutes(server, dashboardRoutes(services))
  serveBuiltFiles(server, DASHBOARD_ASSETS_PATH, dashboardFiles())
  servePages(server, dashboardPages(services))
  servePages(
    server,
    storefrontPages({
      findKey: findDemoKey,
      authenticate,
      ask: async (path, key, from) => {
        const headers = { 'x-authorization': key, 'service-version': version, host: '127.0.0.1' }
        const { statusCode, body } = await server.inject({ url: path, headers, remoteAddress: from })
        return { status: statusCode, body: JSON.parse(body) }
      },
      version,
      publicUrl: services.publicUrl ?? undefined,
      mailIsKept: !services.mailer.goesOut,
    }),
  )
}
