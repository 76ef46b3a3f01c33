import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, resolve, sep } from 'node:path'

export const OHIF_VERSION = '3.13.2'

/** Where its pages read images. */
export interface OhifSource {
  /** Base URL of the DICOMweb server, as the browser calls it. */
  readonly root: string
  /**
   * Calls below `/dicom-web` of the pages are passed on to this port of 127.0.0.1, with these
   * headers.
   */
  readonly proxy?: { readonly port: number; readonly headers?: Readonly<Record<string, string>> }
  /** Other settings of the data source than the first ones. */
  readonly source?: object
  /** More of `window.config`. */
  readonly config?: object
}

export interface OhifPages extends AsyncDisposable {
  /** Origin of the pages. */
  readonly url: string
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.wasm': 'application/wasm',
  '.json': 'application/json',
}

/** The folder of OHIF's built pages; its package is fetched by npm once, and kept in the cache. */
function fetchedPages(): string {
  const folder = join(import.meta.dirname, '../../node_modules/.cache', `ohif-${OHIF_VERSION}`)
  const pages = join(folder, 'package', 'dist')
  if (!existsSync(join(pages, 'index.html'))) {
    mkdirSync(folder, { recursive: true })
    // It has everything bundled, so nothing of what it depends on is installed.
    execFileSync('npm', ['pack', `@ohif/app@${OHIF_VERSION}`, '--pack-destination', folder])
    execFileSync('tar', ['-xzf', join(folder, `ohif-app-${OHIF_VERSION}.tgz`), '-C', folder])
  }
  return pages
}

/** OHIF's pages on a free port of 127.0.0.1, configured for one DICOMweb server. */
export async function serveOhif({
  root,
  proxy,
  source = {},
  config = {},
}: OhifSource): Promise<OhifPages> {
  const pages = fetchedPages()
  const configuration = {
    friendlyName: 'Test',
    name: 'dicomweb',
    qidoRoot: root,
    wadoRoot: root,
    wadoUriRoot: root,
    qidoSupportsIncludeField: false,
    imageRendering: 'wadors',
    thumbnailRendering: 'wadors',
    enableStudyLazyLoad: true,
    supportsFuzzyMatching: false,
    supportsWildcard: true,
    omitQuotationForMultipartRequest: true,
    ...source,
  }
  const own = {
    defaultDataSourceName: 'dicomweb',
    dataSources: [
      {
        namespace: '@ohif/extension-default.dataSourcesModule.dicomweb',
        sourceName: 'dicomweb',
        configuration,
      },
    ],
    ...config,
  }
  const appConfig = `${readFileSync(join(pages, 'app-config.js'), 'utf8')}
Object.assign(window.config, ${JSON.stringify(own)})`

  const server = createServer((call, response) => {
    const { pathname } = new URL(call.url ?? '/', 'http://ohif')
    if (proxy && pathname.startsWith('/dicom-web')) return passOn(call, response, proxy)
    const file = resolve(join(pages, pathname))
    const isFile = file.startsWith(pages + sep) && extname(file) !== '' && existsSync(file)
    const found = isFile ? file : join(pages, 'index.html')
    response.writeHead(200, {
      'content-type': TYPES[extname(found)] ?? 'application/octet-stream',
      'cache-control': 'max-age=3600',
    })
    response.end(pathname === '/app-config.js' ? appConfig : readFileSync(found))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** As a reverse proxy does, so that pages and images have one origin. */
function passOn(
  call: IncomingMessage,
  response: ServerResponse,
  { port, headers: more = {} }: NonNullable<OhifSource['proxy']>,
): void {
  const { method, url: path } = call
  const headers = { ...call.headers, ...more }
  const passed = request({ host: '127.0.0.1', port, method, headers, path }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
  })
  passed.on('error', () => response.destroy())
  call.pipe(passed)
}
