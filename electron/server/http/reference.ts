import { createReadStream, existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { FastifyReply } from 'fastify'
import type { HttpApp } from './http-app.ts'
import { openApiDocument } from './openapi.ts'
import { HTML_MEDIA_TYPE } from './page.ts'

export interface ReferenceOptions {
  readonly version: string
  /** Folder of swagger-ui-dist; resolved from the installed packages by default. */
  readonly folder?: string | undefined
}

/**
 * The only files of swagger-ui-dist that the page loads; served by this gateway with their own
 * content security policy.
 */
const MEDIA_TYPES = {
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'swagger-ui.css': 'text/css; charset=utf-8',
  'favicon-32x32.png': 'image/png',
} as const

/**
 * Serves `/openapi.json` and a page for browsing it at `/docs` without authentication, because they
 * contain nothing about the clinic.
 */
export function serveReference(
  { fastify, declared }: HttpApp,
  { version, folder = packageFolder() }: ReferenceOptions,
): void {
  const serveGet = (path: string, answer: (reply: FastifyReply) => FastifyReply) => {
    declared.push({ method: 'GET', path }, { method: 'HEAD', path })
    fastify.get(path, (_request, reply) => answer(reply.header('cache-control', 'no-cache')))
  }
  // Stored as bytes, because a string would be encoded for each client.
  let documentBytes: Buffer | undefined
  serveGet('/openapi.json', (reply) => {
    documentBytes ??= Buffer.from(JSON.stringify(openApiDocument({ version })))
    return reply.type('application/json; charset=utf-8').send(documentBytes)
  })
  serveGet('/docs', (reply) => reply.type(HTML_MEDIA_TYPE).send(PAGE_HTML))
  serveGet('/docs/start.js', (reply) =>
    reply.type('text/javascript; charset=utf-8').send(START_SCRIPT),
  )
  for (const [name, type] of Object.entries(MEDIA_TYPES))
    if (folder && existsSync(join(folder, name)))
      serveGet(`/docs/${name}`, (reply) =>
        reply.type(type).send(createReadStream(join(folder, name))),
      )
}

function packageFolder(): string | undefined {
  try {
    return dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
  } catch {
    return undefined
  }
}

const PAGE_HTML = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Isthmus interface</title>
<link rel="icon" href="/docs/favicon-32x32.png">
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<div id="reference"><p>The reference of the interface. As a document for tools: <a href="/openapi.json">openapi.json</a>.</p></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`

// Without the online validator, which would send this gateway's address to an internet site.
const START_SCRIPT = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  validatorUrl: null,
  persistAuthorization: false,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
})
`
