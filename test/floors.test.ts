import { readdirSync, readFileSync } from 'node:fs'
import { join, posix, relative } from 'node:path'
import { describe, expect, it } from 'vitest'

// design.md §2 as data: what a place may import besides itself. A file imports only from lower floors, never sideways between slices.
const root = join(import.meta.dirname, '..')

interface Place {
  readonly at: RegExp
  readonly places: readonly string[]
  readonly packages: readonly (string | RegExp)[]
}

const HTTP_SLICES = ['shared', 'domain', 'store', 'http', 'webhooks']
const DIMSE_SLICES = ['shared', 'domain', 'store', 'webhooks', 'dimse', 'scu']
const SLICES = ['dashboard', 'viewing', 'worklist', 'intake', 'forwarding', 'express', 'orgs', 'viewer', 'scribe']
const NODE = /^node:/

const PLACES: Record<string, Place> = {
  shared: { at: /^shared\//, places: [], packages: ['zod'] },
  admission: { at: /^electron\/gateway\/admission\//, places: [], packages: [NODE] },
  dimse: { at: /^electron\/gateway\/dimse\//, places: ['admission'], packages: [NODE, /^dcmjs(\/|$)/] },
  scu: { at: /^electron\/gateway\/scu\//, places: ['dimse'], packages: [NODE, 'dicom-dimse-native'] },
  store: { at: /^electron\/gateway\/store\//, places: ['shared'], packages: [NODE, 'better-sqlite3', 'kysely', 'zod'] },
  http: { at: /^electron\/gateway\/http\//, places: ['shared', 'store', 'admission'], packages: [NODE, 'zod', 'fastify', /^@fastify\//] },
  webhooks: { at: /^electron\/gateway\/webhooks\//, places: ['shared', 'store'], packages: [NODE, 'undici', 'standardwebhooks', 'zod'] },
  domain: {
    at: /^electron\/gateway\/domain\//,
    places: ['shared', 'store', 'admission'],
    packages: [NODE, 'zod', 'pdfkit', 'fontkit', 'otpauth', '@zxcvbn-ts/language-common', 'croner'],
  },
  syslog: { at: /^electron\/gateway\/syslog\//, places: ['shared', 'store'], packages: [NODE] },
  mail: { at: /^electron\/gateway\/mail\//, places: ['shared', 'store'], packages: [NODE, 'zod', /^nodemailer(\/|$)/] },
  ...Object.fromEntries(
    ['express', 'orgs', 'viewer', 'scribe'].map((slice) => [
      slice,
      { at: new RegExp(`^electron/gateway/${slice}/`), places: HTTP_SLICES, packages: [NODE, 'zod'] },
    ]),
  ),
  dashboard: { at: /^electron\/gateway\/dashboard\//, places: HTTP_SLICES, packages: [NODE, 'zod', 'fastify'] },
  ...Object.fromEntries(
    ['worklist', 'intake', 'forwarding'].map((slice) => [
      slice,
      { at: new RegExp(`^electron/gateway/${slice}/`), places: DIMSE_SLICES, packages: [NODE, 'zod'] },
    ]),
  ),
  // It serves by HTTP what DICOM files hold (docs/decisions/0019).
  viewing: { at: /^electron\/gateway\/viewing\//, places: [...HTTP_SLICES, 'dimse'], packages: [NODE, 'zod'] },
  simulator: { at: /^electron\/simulator\//, places: ['shared'], packages: [NODE, 'zod', 'standardwebhooks'] },
  gateway: {
    at: /^electron\/gateway\/[^/]+\.ts$/,
    places: [...new Set([...HTTP_SLICES, ...DIMSE_SLICES, ...SLICES]), 'mail', 'syslog', 'admission'],
    packages: [NODE, 'zod', 'pino', 'pino-roll', 'prom-client', 'fastify', 'fflate'],
  },
  headless: { at: /^electron\/(headless\.ts|command-line\/)/, places: ['gateway', 'shared', 'simulator'], packages: [NODE, 'zod'] },
  shell: {
    at: /^electron\/(main\.ts|preload\.ts|shell\/)/,
    places: ['gateway', 'shared'],
    packages: [NODE, 'electron', 'electron-updater', 'zod'],
  },
  renderer: {
    at: /^renderer\//,
    places: ['shared'],
    packages: [
      'zod',
      'vite/client',
      'react',
      'react-dom',
      /^react(-dom)?\//,
      /^@mantine\//,
      /^@tanstack\//,
      /^@tabler\//,
      /^@fontsource/,
      /^@codemirror\//,
      /^@cornerstonejs\//,
      'uqr',
    ],
  },
}

const files = ['shared', 'electron', 'renderer'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !entry.name.endsWith('.d.ts'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/')),
)
const placeOf = (path: string) => Object.keys(PLACES).find((name) => PLACES[name]?.at.test(path))

function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8')
  const found = text.matchAll(
    /(?:^|\n)\s*(?:import|export)\s(?:[^'"\n;]|\n(?!import))*?from\s+['"]([^'"]+)['"]|import\s*\(\s*['"]([^'"]+)['"]\s*\)|(?:^|\n)\s*import\s+['"]([^'"]+)['"]/g,
  )
  return [...found].map((match) => match[1] ?? match[2] ?? match[3] ?? '')
}

const ALIASES: Record<string, string> = { '#shared/': 'shared/', '#gateway/': 'electron/gateway/', '#electron/': 'electron/' }

/** The project file an import names, or undefined where it names a package. */
function target(file: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(file), specifier)
  const alias = Object.keys(ALIASES).find((prefix) => specifier.startsWith(prefix))
  return alias && specifier.replace(alias, ALIASES[alias] ?? '')
}

function fault(file: string, specifier: string): string | undefined {
  const place = placeOf(file)
  if (!place) return `${file} stands on no floor`
  const { places, packages } = PLACES[place] as Place
  const path = target(file, specifier)
  if (path === undefined) {
    const allowed = packages.some((name) => (typeof name === 'string' ? name === specifier : name.test(specifier)))
    return allowed ? undefined : `${file} (${place}) imports the package ${specifier}`
  }
  const other = placeOf(path) ?? (path.endsWith('.css') || path.endsWith('package.json') ? place : undefined)
  return other !== undefined && (other === place || places.includes(other))
    ? undefined
    : `${file} (${place}) imports ${path} (${other ?? 'no floor'})`
}

describe('the floors', () => {
  it('puts every file on a floor, and no file imports sideways or upwards', () => {
    const faults = files.flatMap((file) => [
      ...importsOf(file).map((specifier) => fault(file, specifier)),
      placeOf(file) ? undefined : fault(file, file),
    ])
    expect(faults.filter(Boolean)).toEqual([])
  })

  it('reads imports of every form', () => {
    expect(files.length).toBeGreaterThan(40)
    expect(importsOf('test/floors.test.ts')).toContain('vitest')
    expect(fault('electron/gateway/dimse/pdu.ts', '#shared/ids.ts')).toMatch(/dimse.*shared/)
    expect(fault('electron/gateway/worklist/worklist.ts', '../dashboard/feed.ts')).toMatch(/dashboard/)
    expect(fault('renderer/src/main.tsx', 'node:fs')).toMatch(/package node:fs/)
    expect(fault('electron/gateway/gateway.ts', 'electron')).toMatch(/package electron/)
  })

  it('declares HTTP routes in http/ only, so that every route is in the contract', () => {
    const outside = files.filter((file) => file.startsWith('electron/gateway/') && placeOf(file) !== 'http')
    const routes = outside.filter((file) =>
      /\b(app|server|scope|fastify)\.(get|post|put|patch|delete|route|all)\(/.test(readFileSync(join(root, file), 'utf8')),
    )
    expect(routes).toEqual([])
  })

  it('keeps SQL in store/ only', () => {
    const outside = files.filter((file) => file.startsWith('electron/') && placeOf(file) !== 'store')
    expect(
      outside.filter((file) => /\b(select .+ from|insert into|update \w+ set|delete from)\b/i.test(readFileSync(join(root, file), 'utf8'))),
    ).toEqual([])
  })
})
